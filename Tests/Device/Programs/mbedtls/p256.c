#include "p256.h"

#include "mbedtls/ecdsa.h"
#include "mbedtls/memory_buffer_alloc.h"

/// The verifier of p256.h by a library, as a device that has one does it.

/// mbed TLS takes memory for numbers and points, some kilobytes while it verifies.
static unsigned char heap[16384];

static bool is_right(mbedtls_ecp_group *group, mbedtls_ecp_point *owner, mbedtls_mpi *r,
    mbedtls_mpi *s, const uint8_t *key, const uint8_t *hash, const uint8_t *signature) {
    return mbedtls_ecp_group_load(group, MBEDTLS_ECP_DP_SECP256R1) == 0
        && mbedtls_ecp_point_read_binary(group, owner, key, P256_KEY_BYTE_COUNT) == 0
        && mbedtls_ecp_check_pubkey(group, owner) == 0
        && mbedtls_mpi_read_binary(r, signature, P256_SIGNATURE_BYTE_COUNT / 2) == 0
        && mbedtls_mpi_read_binary(s, signature + P256_SIGNATURE_BYTE_COUNT / 2,
               P256_SIGNATURE_BYTE_COUNT / 2)
        == 0
        && mbedtls_ecdsa_verify(group, hash, P256_HASH_BYTE_COUNT, owner, r, s) == 0;
}

bool p256_is_signature(const uint8_t key[P256_KEY_BYTE_COUNT],
    const uint8_t hash[P256_HASH_BYTE_COUNT], const uint8_t signature[P256_SIGNATURE_BYTE_COUNT]) {
    static bool has_heap;
    if (!has_heap) {
        mbedtls_memory_buffer_alloc_init(heap, sizeof heap);
        has_heap = true;
    }
    mbedtls_ecp_group group;
    mbedtls_ecp_point owner;
    mbedtls_mpi r, s;
    mbedtls_ecp_group_init(&group);
    mbedtls_ecp_point_init(&owner);
    mbedtls_mpi_init(&r);
    mbedtls_mpi_init(&s);
    bool result = is_right(&group, &owner, &r, &s, key, hash, signature);
    mbedtls_mpi_free(&s);
    mbedtls_mpi_free(&r);
    mbedtls_ecp_point_free(&owner);
    mbedtls_ecp_group_free(&group);
    return result;
}
