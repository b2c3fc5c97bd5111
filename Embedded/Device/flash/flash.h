#ifndef FLASH_H
#define FLASH_H

/// The flash as the receiver has it, and an account of what the receiver does with it: every
/// operation is counted, checked, and can be the one during which the power fails. A device that is
/// no test keeps `flash_read`, `flash_write` and `flash_erase`, and of those what the chip does.

#include <stdbool.h>
#include <stdint.h>

/// After a power cut everything here is as before it: it lies in memory that no start clears.
typedef struct flash_account {
    uint32_t operation_count;
    uint32_t violation_count;
    uint32_t wear_max; // erasures of the page that has most of them
} flash_account;

/// True if this is the first start since the power came, or the emulator was started.
bool flash_start(void);

// The receiver's hooks: 0 if it was done. Addresses are those of board.h.
int32_t flash_read(void *context, uint32_t address, void *bytes, uint32_t byte_count);
int32_t flash_write(void *context, uint32_t address, const void *bytes, uint32_t byte_count);
int32_t flash_erase(void *context, uint32_t address);

/// Something is not as it must be; counted and logged.
void flash_report_violation(const char *what, uint32_t address);

/// A transfer is complete: the next power cut is due in the next one.
void flash_note_transfer(void);

flash_account flash_read_account(void);

// The chip: each board has its own (flash_chip.c), which trusts that a call is right.

/// Finds the flash as it was, or empty if this is the first start.
void chip_start(bool is_first_start);

/// Whether all units in this range may be programmed.
bool chip_is_erased(uint32_t address, uint32_t byte_count);

void chip_program(uint32_t address, const void *bytes, uint32_t byte_count);
void chip_erase(uint32_t address);

/// An erasure whose power fails on the way; `seed` decides how far it came.
void chip_erase_in_part(uint32_t address, uint32_t seed);

#endif
