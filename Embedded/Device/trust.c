#include "trust.h"

#include "log.h"
#include "memory.h"
#include "options.h"
#include "p256.h"
#include "semihosting.h"
#include "sha256.h"

enum {
    ALGORITHM_P256 = 2,
    KEY_ID_BYTE_COUNT = 8,
    MESSAGE_BYTE_COUNT = 48,
};

static bool has_key;
static uint8_t key[P256_KEY_BYTE_COUNT];
static uint8_t id[KEY_ID_BYTE_COUNT];

static void hash_bytes(const uint8_t *bytes, uint32_t byte_count, uint8_t hash[32]) {
    sha256 state;
    sha256_start(&state);
    sha256_update(&state, bytes, byte_count);
    sha256_finish(&state, hash);
}

void trust_read(void) {
    if (options.trust_path == 0) {
        return;
    }
    int32_t file = semihosting_open(options.trust_path, SEMIHOSTING_READ);
    if (file < 0 || !semihosting_read_at(file, 0, key, sizeof key)) {
        log_begin("error");
        log_text("key", options.trust_path);
        log_end();
        semihosting_exit(2);
    }
    semihosting_close(file);
    uint8_t hash[P256_HASH_BYTE_COUNT];
    hash_bytes(key, sizeof key, hash);
    memcpy(id, hash, sizeof id);
    has_key = true;
}

bool trust_has_key(void) { return has_key; }

bool trust_trusts(void *context, const uint8_t *key_id, uint32_t algorithm) {
    (void)context;
    return has_key && algorithm == ALGORITHM_P256 && memcmp(key_id, id, KEY_ID_BYTE_COUNT) == 0;
}

bool trust_verify(void *context, const uint8_t *key_id, uint32_t algorithm, const uint8_t *message,
    const uint8_t *signature, uint32_t signature_byte_count) {
    (void)context;
    (void)key_id; // There is one key, and `trust_trusts` knew it.
    (void)algorithm;
    uint8_t hash[P256_HASH_BYTE_COUNT];
    hash_bytes(message, MESSAGE_BYTE_COUNT, hash);
    return signature_byte_count == P256_SIGNATURE_BYTE_COUNT
        && p256_is_signature(key, hash, signature);
}
