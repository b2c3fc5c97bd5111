#ifndef P256_H
#define P256_H

/// ECDSA over P-256 (spec/bleota.md, section 4.3, algorithm 2), the checking alone. It knows no
/// secret, so it need not take the same time for each input. A device whose library or hardware
/// has this needs neither.

#include <stdbool.h>
#include <stdint.h>

enum {
    P256_KEY_BYTE_COUNT = 65,
    P256_SIGNATURE_BYTE_COUNT = 64,
    P256_HASH_BYTE_COUNT = 32,
};

/// Whether a signature (r and s) is by the owner of a public key (4, X and Y) over what has this
/// SHA-256. False as well for what is no key.
bool p256_is_signature(const uint8_t key[P256_KEY_BYTE_COUNT],
    const uint8_t hash[P256_HASH_BYTE_COUNT], const uint8_t signature[P256_SIGNATURE_BYTE_COUNT]);

#endif
