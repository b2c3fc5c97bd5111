/*
 * SPDX-License-Identifier: Apache-2.0
 *
 * ECDSA with P-256 and SHA-256, by any library with the PSA Crypto API: Mbed TLS from 2.28 on,
 * TF-PSA-Crypto, Trusted Firmware-M, the drivers of chip makers. ESP-IDF and Zephyr bring one.
 */
#include <string.h>

#include <psa/crypto.h>

#include "bleota_types.h"
#include "release_key.h"
#include "trust.h"

_Static_assert((int)bleota_key_algorithm == (int)BLEOTA_ALGORITHM_ECDSA_P256,
               "release_key.h has a key of another algorithm: bleota key generate --algorithm"
               " p256");

#define ALGORITHM PSA_ALG_ECDSA(PSA_ALG_SHA_256)

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
    const uint8_t *point = key_of(key_id, algorithm);
    psa_key_attributes_t attributes = PSA_KEY_ATTRIBUTES_INIT;
    psa_key_id_t key;
    psa_status_t status;

    /* The key is imported for each image, so that it takes no memory in between. */
    psa_set_key_usage_flags(&attributes, PSA_KEY_USAGE_VERIFY_MESSAGE);
    psa_set_key_algorithm(&attributes, ALGORITHM);
    psa_set_key_type(&attributes, PSA_KEY_TYPE_ECC_PUBLIC_KEY(PSA_ECC_FAMILY_SECP_R1));
    psa_set_key_bits(&attributes, 256);
    (void)context;
    if (point == NULL || psa_crypto_init() != PSA_SUCCESS ||
        psa_import_key(&attributes, point, sizeof(bleota_keys[0]), &key) != PSA_SUCCESS) {
        return false;
    }
    status = psa_verify_message(key, ALGORITHM, message, BLEOTA_SIGNED_BYTE_COUNT, signature,
                                signature_byte_count);
    /* A key that stays takes memory, and says nothing of the image. */
    (void)psa_destroy_key(key);
    return status == PSA_SUCCESS;
}
