#ifndef CLOCK_H
#define CLOCK_H

/// The time since the start, and sleep. Every board has its own timers for that.

#include <stdint.h>

void clock_start(void);

/// In microseconds. The timer has 32 bits and is extended here, so it must be asked more often than
/// it runs over: once a minute is often enough on every board.
uint64_t clock_now(void);

/// Sets an interrupt that wakes the processor after so many microseconds at the latest.
void clock_set_alarm(uint32_t microseconds);

/// Waits, and does nothing else.
void clock_wait(uint32_t microseconds);

#endif
