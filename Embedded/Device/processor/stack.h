#ifndef STACK_H
#define STACK_H

/// How deep the stack ever was. It lies at the beginning of the RAM, so that a stack which is too
/// small runs into memory that is not there, and faults, and never into variables.

#include <stdint.h>

extern uint32_t stack_bottom[], stack_top[];

/// Fills what is free of the stack with a pattern; right after reset.
void stack_paint(void);

/// The most that was ever in use, in bytes.
uint32_t stack_peak_byte_count(void);

#endif
