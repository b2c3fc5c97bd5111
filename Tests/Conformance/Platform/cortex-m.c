// A Cortex-M of QEMU: the vector table, and the way from reset to the program.
#include "platform.h"
#include "semihosting.h"

extern uint32_t stack_end, data_begin, data_end, data_source, bss_begin, bss_end;
extern uint8_t room_begin, room_end;

uint8_t *platform_room(void) { return &room_begin; }

uint32_t platform_room_byte_count(void) {
    return (uint32_t)((uintptr_t)&room_end - (uintptr_t)&room_begin);
}

int32_t semihosting_call(int32_t operation, const void *argument) {
    register int32_t r0 __asm__("r0") = operation;
    register const void *r1 __asm__("r1") = argument;
    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}

_Noreturn static void reset(void) {
    for (uint32_t *to = &data_begin, *from = &data_source; to < &data_end;)
        *to++ = *from++;
    for (uint32_t *to = &bss_begin; to < &bss_end;)
        *to++ = 0;
    semihosting_main();
}

// The stack, reset, and the 14 exceptions of the processor: only faults can come, since nothing
// switches interrupts on.
__attribute__((section(".vectors"), used)) static const void *const vectors[16] = {
    &stack_end,        reset,             semihosting_fault, semihosting_fault,
    semihosting_fault, semihosting_fault, semihosting_fault, semihosting_fault,
    semihosting_fault, semihosting_fault, semihosting_fault, semihosting_fault,
    semihosting_fault, semihosting_fault, semihosting_fault, semihosting_fault,
};
