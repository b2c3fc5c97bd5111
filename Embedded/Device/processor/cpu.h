#ifndef CPU_H
#define CPU_H

/// What C has no words for in a Cortex-M: interrupts, sleep, reset.

#include <stdint.h>

/// While interrupts are masked nobody else touches what main and a handler share.
static inline void cpu_mask_interrupts(void) { __asm__ volatile("cpsid i" ::: "memory"); }

static inline void cpu_unmask_interrupts(void) { __asm__ volatile("cpsie i" ::: "memory"); }

/// Sleeps until an interrupt is pending, also one that is masked: so nothing is missed that comes
/// between the last look and the sleep.
static inline void cpu_wait_for_interrupt(void) { __asm__ volatile("dsb\n\twfi" ::: "memory"); }

/// Lets an interrupt through to the processor.
static inline void cpu_enable_interrupt(uint32_t number) {
    ((volatile uint32_t *)0xE000E100u)[number / 32] = 1u << number % 32;
}

/// Lets the processor use its floating-point unit, if the program is compiled for one.
static inline void cpu_enable_floating_point(void) {
#ifdef __ARM_FP
    *(volatile uint32_t *)0xE000ED88u |= 0xFu << 20;
    __asm__ volatile("dsb\n\tisb" ::: "memory");
#endif
}

/// Resets the chip, as a supply that comes back does: only the memory stays as it is.
static inline _Noreturn void cpu_reset(void) {
    __asm__ volatile("dsb" ::: "memory");
    *(volatile uint32_t *)0xE000ED0Cu = 0x05FA0004u;
    for (;;) {
    }
}

/// A register of a peripheral.
static inline volatile uint32_t *cpu_register(uint32_t address) {
    return (volatile uint32_t *)address;
}

#endif
