#include "allocation_count.h"

#include <errno.h>
#include <stddef.h>

// The names under which glibc has the originals.
extern void *__libc_malloc(size_t byte_count);
extern void *__libc_calloc(size_t count, size_t byte_count);
extern void *__libc_realloc(void *memory, size_t byte_count);
extern void *__libc_memalign(size_t alignment, size_t byte_count);

// Of each thread its own: what other threads do meanwhile is no part of what is measured.
static _Thread_local unsigned long long count;

unsigned long long allocation_count(void) { return count; }

void *malloc(size_t byte_count) {
    count++;
    return __libc_malloc(byte_count);
}

void *calloc(size_t element_count, size_t byte_count) {
    count++;
    return __libc_calloc(element_count, byte_count);
}

void *realloc(void *memory, size_t byte_count) {
    count++;
    return __libc_realloc(memory, byte_count);
}

void *memalign(size_t alignment, size_t byte_count) {
    count++;
    return __libc_memalign(alignment, byte_count);
}

void *aligned_alloc(size_t alignment, size_t byte_count) {
    count++;
    return __libc_memalign(alignment, byte_count);
}

int posix_memalign(void **memory, size_t alignment, size_t byte_count) {
    if (alignment % sizeof(void *) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0) {
        return EINVAL;
    }
    count++;
    void *allocated = __libc_memalign(alignment, byte_count);
    if (allocated == NULL) return ENOMEM;
    *memory = allocated;
    return 0;
}
