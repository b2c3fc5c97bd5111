// A RISC-V of QEMU with 32 bits: the way from reset to the program.
#include "platform.h"
#include "semihosting.h"

extern uint8_t room_begin, room_end;

uint8_t *platform_room(void) { return &room_begin; }

uint32_t platform_room_byte_count(void) { return (uint32_t)(&room_end - &room_begin); }

// The three instructions are known together, and must not be compressed.
__attribute__((naked)) int32_t semihosting_call(int32_t operation, const void *argument) {
    __asm__(".balign 16\n"
            ".option push\n"
            ".option norvc\n"
            "slli x0, x0, 0x1f\n"
            "ebreak\n"
            "srai x0, x0, 7\n"
            ".option pop\n"
            "ret\n");
}

// Memory is zero at the start, and everything else lies where it is loaded.
__attribute__((naked, section(".start"), used)) void start(void) {
    __asm__("la sp, stack_end\n"
            "la t0, fault\n"
            "csrw mtvec, t0\n"
            "j semihosting_main\n"
            ".balign 4\n"
            "fault:\n"
            "j semihosting_fault\n");
}
