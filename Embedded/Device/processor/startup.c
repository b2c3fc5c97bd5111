#include "cpu.h"
#include "log.h"
#include "semihosting.h"
#include "stack.h"

/// From reset to main, the stack's depth, and where a fault ends. The interrupts of a board stand in its own table,
/// which the linker puts behind this one.

extern uint32_t data_begin[], data_end[], data_image[], bss_begin[], bss_end[];
int main(void);

_Noreturn void reset(void);
static void fault(void);

typedef union vector {
    uint32_t *stack;
    void (*handler)(void);
} vector;

__attribute__((section(".vectors"), used)) static const vector core_vectors[16] = {
    { .stack = stack_top },
    { .handler = reset },
    // NMI, HardFault, and those that only a larger core has and that would end here as well.
    { .handler = fault }, { .handler = fault }, { .handler = fault }, { .handler = fault },
    { .handler = fault }, { .handler = fault }, { .handler = fault }, { .handler = fault },
    { .handler = fault }, { .handler = fault }, { .handler = fault }, { .handler = fault },
    { .handler = fault }, { .handler = fault },
};

_Noreturn void reset(void) {
    cpu_enable_floating_point();
    stack_paint();
    const uint32_t *from = data_image;
    for (uint32_t *to = data_begin; to < data_end; to++) {
        *to = *from++;
    }
    for (uint32_t *to = bss_begin; to < bss_end; to++) {
        *to = 0;
    }
    semihosting_exit((uint32_t)main());
}

/// The frame that the processor pushed: r0 to r3, r12, lr, pc, xPSR.
__attribute__((used)) static _Noreturn void report_fault(const uint32_t *frame) {
    uint32_t number;
    __asm__ volatile("mrs %0, ipsr" : "=r"(number));
    log_begin("fault");
    log_number("exception", number);
    log_address("pc", frame[6]);
    log_address("lr", frame[5]);
    log_end();
    semihosting_exit(3);
}

__attribute__((naked)) static void fault(void) {
    __asm__ volatile("mrs r0, msp\n\t"
                     "bl report_fault");
}

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
