#ifndef STRING_H
#define STRING_H

/// What mbed TLS takes of it; Embedded/Library/Runtime/memory.c has the functions.

#include "memory.h"

/// Called by what is left out of the program.
size_t strlen(const char *text);
int strcmp(const char *left, const char *right);

#endif
