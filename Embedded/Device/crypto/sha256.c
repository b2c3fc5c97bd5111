#include "sha256.h"

#include "memory.h"

static const uint32_t round_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotated(uint32_t word, int bits) { return word >> bits | word << (32 - bits); }

/// The words of the schedule are needed 16 back at most, so 16 are kept.
static uint32_t next_word(uint32_t words[16], int i) {
    uint32_t near = words[(i + 14) & 15], far = words[(i + 1) & 15];
    uint32_t small1 = rotated(near, 17) ^ rotated(near, 19) ^ near >> 10;
    uint32_t small0 = rotated(far, 7) ^ rotated(far, 18) ^ far >> 3;
    return words[i & 15] += small1 + words[(i + 9) & 15] + small0;
}

static void round_of(uint32_t s[8], uint32_t added) {
    uint32_t big1 = rotated(s[4], 6) ^ rotated(s[4], 11) ^ rotated(s[4], 25);
    uint32_t big0 = rotated(s[0], 2) ^ rotated(s[0], 13) ^ rotated(s[0], 22);
    uint32_t chosen = (s[4] & s[5]) ^ (~s[4] & s[6]);
    uint32_t majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
    uint32_t first = s[7] + big1 + chosen + added;
    for (int i = 7; i > 0; i--) {
        s[i] = s[i - 1];
    }
    s[4] += first;
    s[0] = first + big0 + majority;
}

static void compress(sha256 *hash) {
    uint32_t words[16], s[8];
    for (int i = 0; i < 16; i++) {
        const uint8_t *byte = hash->block + 4 * i;
        words[i] = (uint32_t)byte[0] << 24 | (uint32_t)byte[1] << 16 | (uint32_t)byte[2] << 8
            | byte[3];
    }
    memcpy(s, hash->state, sizeof s);
    for (int i = 0; i < 64; i++) {
        round_of(s, round_constants[i] + (i < 16 ? words[i] : next_word(words, i)));
    }
    for (int i = 0; i < 8; i++) {
        hash->state[i] += s[i];
    }
}

void sha256_start(sha256 *hash) {
    static const uint32_t initial[8] = {
        0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
        0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
    };
    memcpy(hash->state, initial, sizeof initial);
    hash->byte_count = 0;
}

void sha256_update(sha256 *hash, const void *bytes, uint32_t byte_count) {
    const uint8_t *from = bytes;
    while (byte_count > 0) {
        uint32_t at = hash->byte_count & 63;
        uint32_t part = 64 - at < byte_count ? 64 - at : byte_count;
        memcpy(hash->block + at, from, part);
        hash->byte_count += part;
        from += part;
        byte_count -= part;
        if (at + part == 64) {
            compress(hash);
        }
    }
}

void sha256_finish(sha256 *hash, uint8_t digest[32]) {
    static const uint8_t one_bit = 0x80, none = 0;
    uint32_t bit_count = hash->byte_count << 3;
    sha256_update(hash, &one_bit, 1);
    while ((hash->byte_count & 63) != 56) {
        sha256_update(hash, &none, 1);
    }
    uint8_t end[8] = { 0, 0, 0, 0, (uint8_t)(bit_count >> 24), (uint8_t)(bit_count >> 16),
        (uint8_t)(bit_count >> 8), (uint8_t)bit_count };
    sha256_update(hash, end, sizeof end);
    for (int i = 0; i < 32; i++) {
        digest[i] = (uint8_t)(hash->state[i >> 2] >> (24 - 8 * (i & 3)));
    }
}

bool sha256_works(void) {
    static const uint8_t expected[32] = {
        0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea, 0x41, 0x41, 0x40, 0xde, 0x5d, 0xae, 0x22,
        0x23, 0xb0, 0x03, 0x61, 0xa3, 0x96, 0x17, 0x7a, 0x9c, 0xb4, 0x10, 0xff, 0x61, 0xf2, 0x00,
        0x15, 0xad,
    };
    sha256 hash;
    uint8_t digest[32];
    sha256_start(&hash);
    sha256_update(&hash, "abc", 3);
    sha256_finish(&hash, digest);
    return memcmp(digest, expected, sizeof digest) == 0;
}
