#ifndef POWER_CUT_H
#define POWER_CUT_H

/// A supply that fails during a chosen operation of the flash. The operation is left half done, and
/// then the chip starts again.

#include <stdbool.h>
#include <stdint.h>

void power_cut_start(bool is_first_start);

/// Counts an operation. True if the power fails during it.
bool power_cut_is_due(void);

_Noreturn void power_cut_during_write(
    uint32_t address, const uint8_t *bytes, uint32_t byte_count);
_Noreturn void power_cut_during_erase(uint32_t address);

/// A transfer is complete: with the option `cutfrom` the next one fails one operation later.
void power_cut_note_transfer(void);

#endif
