#include "semihosting.h"
#include "platform.h"

enum { SYS_OPEN = 0x01, SYS_WRITE = 0x05, SYS_EXIT_EXTENDED = 0x20 };
enum { APPLICATION_EXIT = 0x20026 };

extern uint32_t stack_begin, stack_end;
static const uint32_t unused = 0xA5A5A5A5;

// A call stops the machine, so text goes out in pieces.
static char held[512];
static uint32_t held_byte_count;
static int32_t output;

static void flush(void) {
    const uintptr_t write[] = {(uintptr_t)output, (uintptr_t)held, held_byte_count};
    semihosting_call(SYS_WRITE, write);
    held_byte_count = 0;
}

void platform_write(const void *bytes, uint32_t byte_count) {
    const char *text = bytes;
    for (uint32_t index = 0; index < byte_count; ++index) {
        if (held_byte_count == sizeof held)
            flush();
        held[held_byte_count++] = text[index];
    }
}

_Noreturn void semihosting_exit(int32_t status) {
    flush();
    const uintptr_t reason[] = {APPLICATION_EXIT, (uintptr_t)status};
    semihosting_call(SYS_EXIT_EXTENDED, reason);
    for (;;) {
    }
}

_Noreturn void semihosting_fault(void) {
    static const char text[] = " TRAPPED\n";
    platform_write(text, sizeof text - 1);
    semihosting_exit(2);
}

// The name of standard output and, opened to append, of standard error.
static int32_t open_output(uintptr_t mode) {
    static const char name[] = ":tt";
    const uintptr_t argument[] = {(uintptr_t)name, mode, sizeof name - 1};
    return semihosting_call(SYS_OPEN, argument);
}

// Fills what is free of the stack, to see afterwards how much of it was used.
static void mark_stack(void) {
    uint32_t *free_end = (uint32_t *)__builtin_frame_address(0) - 64;
    for (volatile uint32_t *word = &stack_begin; word < free_end; ++word)
        *word = unused;
}

// Says on standard error what is not the same on all machines. A stack without an unused word has
// been somewhere else too, and nothing of the run is worth anything.
static void tell_stack(void) {
    const volatile uint32_t *word = &stack_begin;
    while (word < &stack_end && *word == unused)
        ++word;
    uint32_t left = (uint32_t)((uintptr_t)&stack_end - (uintptr_t)word);
    char text[] = "stack: 00000000 bytes\n";
    for (char *digit = text + 14; digit > text + 6; --digit, left /= 10)
        *digit = (char)('0' + left % 10);
    flush();
    output = open_output(8);
    platform_write(text, sizeof text - 1);
    if (word == &stack_begin)
        semihosting_fault();
}

_Noreturn void semihosting_main(void) {
    mark_stack();
    output = open_output(4);
    int32_t failed = conformance_run() != 0;
    tell_stack();
    semihosting_exit(failed);
}
