#ifndef TRUST_H
#define TRUST_H

/// Whose images the device takes: those that the owner of one key of P-256 has signed, or with no
/// key all. A device that is sold has its key in the program, as `bleota key show --c` prints it;
/// this one gets it from whoever starts it, so that a test can have many.

#include <stdbool.h>
#include <stdint.h>

/// Reads the key that the option `trust` names. One that is no file of 65 bytes ends the device.
void trust_read(void);

bool trust_has_key(void);

/// The hooks of the same names (bleota_types.h).
bool trust_trusts(void *context, const uint8_t *key_id, uint32_t algorithm);
bool trust_verify(void *context, const uint8_t *key_id, uint32_t algorithm, const uint8_t *message,
    const uint8_t *signature, uint32_t signature_byte_count);

#endif
