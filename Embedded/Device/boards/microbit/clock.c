#include "clock.h"

#include "cpu.h"

/// TIMER0 of the nRF51, with 32 bits at 1 MHz: compare register 0 tells the time, 1 wakes.

enum {
    TIMER_INTERRUPT = 8,
    // Less than half of what the timer counts to.
    ALARM_MICROSECONDS_MAX = 1000000000,
};

#define TIMER0 0x40008000u
#define TASKS_START 0x000u
#define TASKS_CLEAR 0x00Cu
#define TASKS_CAPTURE0 0x040u
#define EVENTS_COMPARE1 0x144u
#define INTENSET 0x304u
#define INTENCLR 0x308u
#define BITMODE 0x508u
#define PRESCALER 0x510u
#define CC0 0x540u
#define CC1 0x544u

static const uint32_t compare1 = 1u << 17;

static uint32_t last_value;
static uint64_t microseconds;

void clock_interrupt(void);
void clock_interrupt(void) {
    *cpu_register(TIMER0 + INTENCLR) = compare1;
    *cpu_register(TIMER0 + EVENTS_COMPARE1) = 0;
}

void clock_start(void) {
    *cpu_register(TIMER0 + BITMODE) = 3;   // 32 bits
    *cpu_register(TIMER0 + PRESCALER) = 4; // 16 MHz through 2 to the 4th
    *cpu_register(TIMER0 + TASKS_CLEAR) = 1;
    *cpu_register(TIMER0 + TASKS_START) = 1;
    cpu_enable_interrupt(TIMER_INTERRUPT);
}

static uint32_t timer_value(void) {
    *cpu_register(TIMER0 + TASKS_CAPTURE0) = 1;
    return *cpu_register(TIMER0 + CC0);
}

uint64_t clock_now(void) {
    uint32_t value = timer_value();
    microseconds += value - last_value;
    last_value = value;
    return microseconds;
}

void clock_set_alarm(uint32_t wait) {
    uint32_t bounded = wait < ALARM_MICROSECONDS_MAX ? wait : ALARM_MICROSECONDS_MAX;
    // A moment that has passed before the register holds it would come after 71 minutes.
    uint32_t least = 20;
    *cpu_register(TIMER0 + INTENCLR) = compare1;
    *cpu_register(TIMER0 + EVENTS_COMPARE1) = 0;
    *cpu_register(TIMER0 + CC1) = timer_value() + (bounded > least ? bounded : least);
    *cpu_register(TIMER0 + INTENSET) = compare1;
}

void clock_wait(uint32_t wait) {
    uint64_t end = clock_now() + wait;
    while (clock_now() < end) {
    }
}
