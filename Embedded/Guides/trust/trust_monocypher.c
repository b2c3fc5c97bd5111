/*
 * SPDX-License-Identifier: Apache-2.0
 *
 * Ed25519, by Monocypher 4.0.3 (https://monocypher.org): compile its src/monocypher.c and
 * src/optional/monocypher-ed25519.c with the firmware.
 */
#include <string.h>

#include "bleota_types.h"
#include "monocypher-ed25519.h"
#include "release_key.h"
#include "trust.h"

#define SIGNATURE_BYTE_COUNT 64

_Static_assert((int)bleota_key_algorithm == (int)BLEOTA_ALGORITHM_ED25519,
               "release_key.h has a key of another algorithm: bleota key generate");

bool release_trusts(void *context, const uint8_t *key_id, uint32_t algorithm)
{
    (void)context;
    return algorithm == bleota_key_algorithm &&
           memcmp(key_id, bleota_key_id, sizeof(bleota_key_id)) == 0;
}

bool release_verifies(void *context, const uint8_t *key_id, uint32_t algorithm,
                      const uint8_t *message, const uint8_t *signature,
                      uint32_t signature_byte_count)
{
    return release_trusts(context, key_id, algorithm) &&
           signature_byte_count == SIGNATURE_BYTE_COUNT &&
           crypto_ed25519_check(signature, bleota_key, message, BLEOTA_SIGNED_BYTE_COUNT) == 0;
}
