#ifndef OLD_FIRMWARE_H
#define OLD_FIRMWARE_H

/// What the device ran before anything was sent to it: a pattern in a part of the flash that is
/// none of the receiver's. It must be whole at any time.

#include <stdint.h>

/// Puts it there, as the factory does; but not where there is something already.
void old_firmware_install(void);

/// Hashes what is there. Another hash than the factory's is a violation.
void old_firmware_check(void);

/// The hash of the last check.
const uint8_t *old_firmware_sha256(void);

#endif
