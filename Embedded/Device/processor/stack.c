#include "stack.h"

static const uint32_t paint = 0xA5A5A5A5u;

__attribute__((noinline)) void stack_paint(void) {
    // What this function itself has on the stack is above this word.
    uint32_t *here = (uint32_t *)__builtin_frame_address(0) - 8;
    for (uint32_t *word = stack_bottom; word < here; word++) {
        *(volatile uint32_t *)word = paint;
    }
}

uint32_t stack_peak_byte_count(void) {
    const uint32_t *word = stack_bottom;
    while (word < stack_top && *word == paint) {
        word++;
    }
    return (uint32_t)(stack_top - word) * sizeof *word;
}
