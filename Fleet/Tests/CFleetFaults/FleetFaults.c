#define _GNU_SOURCE
#include "FleetFaults.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const int64_t second = 1000000000;
// How soon a wait notices that the clock was set. The kernel does it at once.
static const int64_t slice = 20000000;

static struct fleet_faults *faults;

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("FLEET_FAULTS");
    int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (file < 0) { return; }
    void *map = mmap(NULL, sizeof *faults, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (map != MAP_FAILED) { faults = map; }
}

// A process that has threads of libraries must end without the handlers of exit: they free what those
// threads still use.
static void refuse_exit(void) {
    static const char sentence[] = "the handlers of exit ran\n";
    if (write(STDERR_FILENO, sentence, sizeof sentence - 1) < 0) { _exit(1); }
    abort();
}

__attribute__((constructor)) static void watch_exit(void) {
    if (getenv("FLEET_FAULTS_REFUSE_EXIT")) { atexit(refuse_exit); }
}

static int64_t load(const int64_t *value) { return __atomic_load_n(value, __ATOMIC_SEQ_CST); }

static int64_t now(clockid_t clock) {
    struct timespec time = {0};
    syscall(SYS_clock_gettime, clock, &time);
    return time.tv_sec * second + time.tv_nsec;
}

static int64_t wall(void) {
    return now(CLOCK_REALTIME) + (faults ? load(&faults->clock_nanoseconds) : 0);
}

static struct timespec timespec_of(int64_t nanoseconds) {
    return (struct timespec){nanoseconds / second, nanoseconds % second};
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    if (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE) {
        return (int)syscall(SYS_clock_gettime, clock, time);
    }
    *time = timespec_of(wall());
    return 0;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    (void)zone;
    int64_t microseconds = wall() / 1000;
    *time = (struct timeval){microseconds / 1000000, microseconds % 1000000};
    return 0;
}

time_t time(time_t *result) {
    time_t seconds = wall() / second;
    if (result) { *result = seconds; }
    return seconds;
}

int timespec_get(struct timespec *time, int base) {
    if (base != TIME_UTC) { return 0; }
    *time = timespec_of(wall());
    return base;
}

// A wait for a time of the wall ends when that clock says so, which may be set meanwhile.
int pthread_cond_timedwait(
    pthread_cond_t *restrict condition,
    pthread_mutex_t *restrict mutex,
    const struct timespec *restrict end
) {
    // As glibc marks those that its other clock ends.
    if (condition->__data.__wrefs & 2) {
        return pthread_cond_clockwait(condition, mutex, CLOCK_MONOTONIC, end);
    }
    int64_t target = end->tv_sec * second + end->tv_nsec;
    while (1) {
        int64_t left = target - wall();
        struct timespec next =
            timespec_of(now(CLOCK_MONOTONIC) + (left > slice ? slice : left > 0 ? left : 0));
        int error = pthread_cond_clockwait(condition, mutex, CLOCK_MONOTONIC, &next);
        if (error != ETIMEDOUT || wall() >= target) { return error; }
    }
}

static void wait_for_disk(void) {
    int64_t microseconds = faults ? load(&faults->sync_microseconds) : 0;
    if (microseconds > 0) { usleep((useconds_t)microseconds); }
}

int fsync(int file) {
    wait_for_disk();
    return (int)syscall(SYS_fsync, file);
}

int fdatasync(int file) {
    wait_for_disk();
    return (int)syscall(SYS_fdatasync, file);
}
