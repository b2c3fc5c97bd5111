/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PSA_CRYPTO_H
#define PSA_CRYPTO_H
#include <stddef.h>
#include <stdint.h>
typedef int32_t psa_status_t;
typedef uint32_t psa_key_id_t;
typedef uint32_t psa_algorithm_t;
typedef uint16_t psa_key_type_t;
typedef uint32_t psa_key_usage_t;
typedef uint8_t psa_ecc_family_t;
typedef struct psa_key_attributes_s {
    uint32_t unused[8];
} psa_key_attributes_t;
#define PSA_SUCCESS ((psa_status_t)0)
#define PSA_KEY_ATTRIBUTES_INIT {{0}}
#define PSA_KEY_USAGE_VERIFY_MESSAGE ((psa_key_usage_t)0x00000800)
#define PSA_ALG_SHA_256 ((psa_algorithm_t)0x02000009)
#define PSA_ALG_ECDSA(hash_alg) ((psa_algorithm_t)(0x06000600 | ((hash_alg) & 0xff)))
#define PSA_ECC_FAMILY_SECP_R1 ((psa_ecc_family_t)0x12)
#define PSA_KEY_TYPE_ECC_PUBLIC_KEY(curve) ((psa_key_type_t)(0x4100 | (curve)))
void psa_set_key_usage_flags(psa_key_attributes_t *attributes, psa_key_usage_t usage_flags);
void psa_set_key_algorithm(psa_key_attributes_t *attributes, psa_algorithm_t alg);
void psa_set_key_type(psa_key_attributes_t *attributes, psa_key_type_t type);
void psa_set_key_bits(psa_key_attributes_t *attributes, size_t bits);
psa_status_t psa_crypto_init(void);
psa_status_t psa_import_key(const psa_key_attributes_t *attributes, const uint8_t *data,
                            size_t data_length, psa_key_id_t *key);
psa_status_t psa_verify_message(psa_key_id_t key, psa_algorithm_t alg, const uint8_t *input,
                                size_t input_length, const uint8_t *signature,
                                size_t signature_length);
psa_status_t psa_destroy_key(psa_key_id_t key);
#endif
