#include "semihosting.h"
#include "platform.h"

enum { SYS_OPEN = 0x01, SYS_WRITE = 0x05, SYS_EXIT_EXTENDED = 0x20 };
enum { APPLICATION_EXIT = 0x20026 };

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

_Noreturn void semihosting_main(void) {
    static const char name[] = ":tt";
    const uintptr_t open[] = {(uintptr_t)name, 4 /* write */, sizeof name - 1};
    output = semihosting_call(SYS_OPEN, open);
    semihosting_exit(conformance_run() != 0);
}
