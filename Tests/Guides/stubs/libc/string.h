/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STUB_STRING_H
#define STUB_STRING_H
#include <stddef.h>
void *memcpy(void *restrict to, const void *restrict from, size_t byte_count);
void *memset(void *to, int byte, size_t byte_count);
int memcmp(const void *a, const void *b, size_t byte_count);
size_t strlen(const char *text);
#endif
