#include "log.h"
#include "p256.h"
#include "semihosting.h"

/// Shows the verifier of P-256 what the file `cases` has, and says what it makes of each: 65 bytes
/// of a key, 32 of a hash and 64 of a signature (../p256_cases.py).

enum { CASE_BYTE_COUNT = P256_KEY_BYTE_COUNT + P256_HASH_BYTE_COUNT + P256_SIGNATURE_BYTE_COUNT };

int main(void) {
    uint8_t bytes[CASE_BYTE_COUNT];
    const uint8_t *hash = bytes + P256_KEY_BYTE_COUNT;
    int32_t file = semihosting_open("cases", SEMIHOSTING_READ);
    if (file < 0) {
        return 2;
    }
    uint32_t count = 0;
    while (semihosting_read_at(file, count * sizeof bytes, bytes, sizeof bytes)) {
        log_begin("verified");
        log_number("case", count++);
        log_number("is_right", p256_is_signature(bytes, hash, hash + P256_HASH_BYTE_COUNT));
        log_end();
    }
    log_begin("end");
    log_number("count", count);
    log_end();
    return 0;
}
