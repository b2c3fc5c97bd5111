// Output and exit through the debugger, which QEMU plays: the same calls on ARM and RISC-V, and
// only the instruction differs that makes them.
#ifndef SEMIHOSTING_H
#define SEMIHOSTING_H

#include <stdint.h>

// Makes one call; of the machine.
int32_t semihosting_call(int32_t operation, const void *argument);

// Writes what is still held back, and ends QEMU.
_Noreturn void semihosting_exit(int32_t status);

// What every fault comes to: a trap of Swift too.
_Noreturn void semihosting_fault(void);

// What runs once the memory is as C wants it.
_Noreturn void semihosting_main(void);

#endif
