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

static const uint8_t *key_of(const uint8_t *key_id, uint32_t algorithm)
{
    for (uint32_t i = 0; algorithm == bleota_key_algorithm && i < bleota_key_count; i++) {
        if (memcmp(key_id, bleota_key_ids[i], sizeof(bleota_key_ids[i])) == 0) {
            return bleota_keys[i];
        }
    }
    return NULL;
}

bool release_trusts(void *context, const uint8_t *key_id, uint32_t algorithm)
{
    (void)context;
    return key_of(key_id, algorithm) != NULL;
}

bool release_verifies(void *context, const uint8_t *key_id, uint32_t algorithm,
                      const uint8_t *message, const uint8_t *signature,
                      uint32_t signature_byte_count)
{
    const uint8_t *key = key_of(key_id, algorithm);

    (void)context;
    return key != NULL && signature_byte_count == SIGNATURE_BYTE_COUNT &&
           crypto_ed25519_check(signature, key, message, BLEOTA_SIGNED_BYTE_COUNT) == 0;
}
