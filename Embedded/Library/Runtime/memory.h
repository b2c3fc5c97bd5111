#ifndef MEMORY_H
#define MEMORY_H

/// The few functions of <string.h> that are used here; memory.c has them.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void *memcpy(void *restrict to, const void *restrict from, size_t byte_count);
void *memmove(void *to, const void *from, size_t byte_count);
void *memset(void *to, int byte, size_t byte_count);
int memcmp(const void *left, const void *right, size_t byte_count);

/// Without the zero byte at its end.
static inline uint32_t text_length(const char *text) {
    uint32_t length = 0;
    while (text[length] != 0) {
        length++;
    }
    return length;
}

#endif
