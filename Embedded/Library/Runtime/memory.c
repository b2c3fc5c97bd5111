#include "memory.h"

/// What a compiler calls where the processor lacks an instruction, for who links without a library
/// of its own for that: names and registers are those of the ARM run-time ABI. It is compiled
/// without knowledge of these functions, so that a loop here does not become a call of itself.

static bool are_words(const void *one, const void *other, size_t byte_count) {
    return (((uintptr_t)one | (uintptr_t)other | byte_count) & 3) == 0;
}

void *memcpy(void *restrict to, const void *restrict from, size_t byte_count) {
    if (are_words(to, from, byte_count)) {
        uint32_t *target = to;
        const uint32_t *source = from;
        for (size_t i = 0; i < byte_count / 4; i++) {
            target[i] = source[i];
        }
        return to;
    }
    uint8_t *target = to;
    const uint8_t *source = from;
    for (size_t i = 0; i < byte_count; i++) {
        target[i] = source[i];
    }
    return to;
}

void *memmove(void *to, const void *from, size_t byte_count) {
    if ((uintptr_t)to <= (uintptr_t)from || (uintptr_t)to >= (uintptr_t)from + byte_count) {
        return memcpy(to, from, byte_count);
    }
    uint8_t *target = to;
    const uint8_t *source = from;
    for (size_t i = byte_count; i > 0; i--) {
        target[i - 1] = source[i - 1];
    }
    return to;
}

void *memset(void *to, int byte, size_t byte_count) {
    uint8_t *target = to;
    uint32_t word = (uint8_t)byte * 0x01010101u;
    size_t i = 0;
    if (are_words(to, to, byte_count)) {
        for (; i < byte_count; i += 4) {
            *(uint32_t *)(void *)(target + i) = word;
        }
    }
    for (; i < byte_count; i++) {
        target[i] = (uint8_t)byte;
    }
    return to;
}

int memcmp(const void *left, const void *right, size_t byte_count) {
    const uint8_t *one = left, *other = right;
    for (size_t i = 0; i < byte_count; i++) {
        if (one[i] != other[i]) {
            return one[i] - other[i];
        }
    }
    return 0;
}
