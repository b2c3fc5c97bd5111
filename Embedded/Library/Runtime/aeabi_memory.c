#include "memory.h"

#ifdef __arm__

/// The names that the ARM run-time ABI has for memcpy and its relatives, and that compilers for ARM
/// call instead of them. Not every C library has these names: Zephyr's minimal one does not. They
/// are weak, so that those of a library that has them count.

#define COPIES(name, function) \
    __attribute__((weak)) void name(void *to, const void *from, size_t byte_count); \
    void name(void *to, const void *from, size_t byte_count) { function(to, from, byte_count); }

/// The length comes before the byte here.
#define SETS(name) \
    __attribute__((weak)) void name(void *to, size_t byte_count, int byte); \
    void name(void *to, size_t byte_count, int byte) { memset(to, byte, byte_count); }

#define CLEARS(name) \
    __attribute__((weak)) void name(void *to, size_t byte_count); \
    void name(void *to, size_t byte_count) { memset(to, 0, byte_count); }

COPIES(__aeabi_memcpy, memcpy)
COPIES(__aeabi_memcpy4, memcpy)
COPIES(__aeabi_memcpy8, memcpy)
COPIES(__aeabi_memmove, memmove)
COPIES(__aeabi_memmove4, memmove)
COPIES(__aeabi_memmove8, memmove)
SETS(__aeabi_memset)
SETS(__aeabi_memset4)
SETS(__aeabi_memset8)
CLEARS(__aeabi_memclr)
CLEARS(__aeabi_memclr4)
CLEARS(__aeabi_memclr8)

#endif
