#ifndef SHA256_H
#define SHA256_H

/// SHA-256 (FIPS 180-4), the boot loader's own: it shall not have the receiver's mistakes.

#include <stdbool.h>
#include <stdint.h>

typedef struct sha256 {
    uint32_t state[8];
    uint32_t byte_count; // images are below 512 MiB, so the count of bits fits 32 bits
    uint8_t block[64];
} sha256;

void sha256_start(sha256 *hash);
void sha256_update(sha256 *hash, const void *bytes, uint32_t byte_count);
void sha256_finish(sha256 *hash, uint8_t digest[32]);

/// Whether the function computes what the standard says for "abc".
bool sha256_works(void);

#endif
