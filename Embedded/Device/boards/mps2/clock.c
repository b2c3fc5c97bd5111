#include "clock.h"

#include "board.h"
#include "cpu.h"

/// Two CMSDK timers, which count down: timer 0 runs all the time, timer 1 wakes.

enum {
    TICKS_PER_MICROSECOND = BOARD_CLOCK_MHZ,
    // 100 seconds; a longer alarm is set again after that.
    ALARM_MICROSECONDS_MAX = 100000000,
};

#define CTRL 0x00u
#define VALUE 0x04u
#define RELOAD 0x08u
#define INTSTATUS 0x0Cu

static const uint32_t enabled = 1, interrupts = 8;

static uint32_t last_value;
static uint32_t remaining_ticks; // less than a microsecond
static uint64_t microseconds;

void clock_interrupt(void);
void clock_interrupt(void) {
    *cpu_register(TIMER1 + CTRL) = 0;
    *cpu_register(TIMER1 + INTSTATUS) = 1;
}

void clock_start(void) {
    *cpu_register(TIMER0 + CTRL) = 0;
    *cpu_register(TIMER0 + RELOAD) = UINT32_MAX;
    *cpu_register(TIMER0 + VALUE) = UINT32_MAX;
    last_value = UINT32_MAX;
    *cpu_register(TIMER0 + CTRL) = enabled;
    cpu_enable_interrupt(TIMER1_INTERRUPT);
}

uint64_t clock_now(void) {
    uint32_t value = *cpu_register(TIMER0 + VALUE);
    uint32_t passed = last_value - value;
    last_value = value;
    microseconds += passed / TICKS_PER_MICROSECOND;
    remaining_ticks += passed % TICKS_PER_MICROSECOND;
    if (remaining_ticks >= TICKS_PER_MICROSECOND) {
        remaining_ticks -= TICKS_PER_MICROSECOND;
        microseconds++;
    }
    return microseconds;
}

void clock_set_alarm(uint32_t wait) {
    uint32_t bounded = wait < ALARM_MICROSECONDS_MAX ? wait : ALARM_MICROSECONDS_MAX;
    *cpu_register(TIMER1 + CTRL) = 0;
    *cpu_register(TIMER1 + RELOAD) = bounded * TICKS_PER_MICROSECOND;
    *cpu_register(TIMER1 + VALUE) = bounded * TICKS_PER_MICROSECOND;
    *cpu_register(TIMER1 + CTRL) = enabled | interrupts;
}

void clock_wait(uint32_t wait) {
    uint64_t end = clock_now() + wait;
    while (clock_now() < end) {
    }
}
