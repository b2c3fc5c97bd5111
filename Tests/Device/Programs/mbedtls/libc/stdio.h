#ifndef STDIO_H
#define STDIO_H

/// mbed TLS names these, and calls none of them here.

#include <stddef.h>

int printf(const char *format, ...);
int snprintf(char *text, size_t byte_count, const char *format, ...);
typedef struct FILE FILE;
int fprintf(FILE *file, const char *format, ...);

#endif
