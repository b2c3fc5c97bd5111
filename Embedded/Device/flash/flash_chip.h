#ifndef FLASH_CHIP_H
#define FLASH_CHIP_H

/// The flash of a board, without any doubt about whether a call is right: flash.c has that.

#include <stdbool.h>
#include <stdint.h>

/// Finds the flash as it was, or empty if this is the first start.
void chip_start(bool is_first_start);

/// Whether all units in this range may be programmed.
bool chip_is_erased(uint32_t address, uint32_t byte_count);

void chip_program(uint32_t address, const void *bytes, uint32_t byte_count);
void chip_erase(uint32_t address);

/// An erasure whose power fails on the way; `seed` decides how far it came.
void chip_erase_in_part(uint32_t address, uint32_t seed);

#endif
