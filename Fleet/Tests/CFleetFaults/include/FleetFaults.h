// What a test does to a process that loads this before other libraries (LD_PRELOAD): it sets the
// process's clock of the wall, and makes its disk slow.

#pragma once
#include <stdint.h>

// The file that FLEET_FAULTS names. The process maps it, so a change counts at once.
struct fleet_faults {
    // How far the clock is ahead.
    int64_t clock_nanoseconds;
    // How much longer each sync of a file takes.
    int64_t sync_microseconds;
};
