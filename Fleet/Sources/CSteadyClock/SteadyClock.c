#define _GNU_SOURCE
#include "SteadyClock.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

typedef int (*clock_function)(clockid_t, struct timespec *);
typedef int (*wait_function)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);

static const int64_t second = 1000000000;

// The functions that these stand before. They are looked up at the first call, which may come
// before any constructor; whoever comes second finds the same.
static _Atomic(clock_function) next_clock;
static _Atomic(wait_function) next_wait;
// Where the code of libnats is; 0 until it is known.
static _Atomic(uintptr_t) code_start, code_end;
// What the clock of the wall was ahead of the other one when the program began.
static int64_t lead;

static int read_clock(clockid_t clock, struct timespec *time) {
    clock_function next = atomic_load(&next_clock);
    if (!next) {
        next = (clock_function)dlsym(RTLD_NEXT, "clock_gettime");
        atomic_store(&next_clock, next);
    }
    return next(clock, time);
}

static int64_t nanoseconds(const struct timespec *time) {
    // A wait without an end has more seconds than there is room for.
    if (time->tv_sec >= INT64_MAX / second) { return INT64_MAX; }
    return time->tv_sec * second + time->tv_nsec;
}

static struct timespec timespec_of(int64_t nanoseconds) {
    return (struct timespec){nanoseconds / second, nanoseconds % second};
}

static int64_t now(clockid_t clock) {
    struct timespec time = {0};
    read_clock(clock, &time);
    return nanoseconds(&time);
}

static int find_code(struct dl_phdr_info *object, size_t size, void *unused) {
    const char *slash = strrchr(object->dlpi_name, '/');
    const char *name = slash ? slash + 1 : object->dlpi_name;
    if (strncmp(name, "libnats.so", 10) != 0) { return 0; }
    for (int index = 0; index < object->dlpi_phnum; index++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[index];
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X)) { continue; }
        uintptr_t start = object->dlpi_addr + part->p_vaddr;
        atomic_store(&code_end, start + part->p_memsz);
        atomic_store(&code_start, start);
    }
    return 1;
}

// libnats starts no thread and looks at no clock before somebody calls it.
__attribute__((constructor)) static void begin(void) {
    lead = now(CLOCK_REALTIME) - now(CLOCK_MONOTONIC);
    dl_iterate_phdr(find_code, NULL);
}

static int is_libnats(const void *caller) {
    uintptr_t address = (uintptr_t)caller;
    uintptr_t start = atomic_load(&code_start);
    return start && address >= start && address < atomic_load(&code_end);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    if (clock != CLOCK_REALTIME || !is_libnats(__builtin_return_address(0))) {
        return read_clock(clock, time);
    }
    *time = timespec_of(now(CLOCK_MONOTONIC) + lead);
    return 0;
}

int pthread_cond_timedwait(
    pthread_cond_t *restrict condition,
    pthread_mutex_t *restrict mutex,
    const struct timespec *restrict end
) {
    if (is_libnats(__builtin_return_address(0))) {
        // A time before the system began is over as well.
        int64_t left = nanoseconds(end) - lead;
        struct timespec steady = timespec_of(left > 0 ? left : 0);
        return pthread_cond_clockwait(condition, mutex, CLOCK_MONOTONIC, &steady);
    }
    wait_function next = atomic_load(&next_wait);
    if (!next) {
        next = (wait_function)dlsym(RTLD_NEXT, "pthread_cond_timedwait");
        atomic_store(&next_wait, next);
    }
    return next(condition, mutex, end);
}
