/// Zephyr's kernel objects on this machine: threads are its own, and one lock guards all objects.

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <psa/crypto.h>
#include <zephyr/kernel.h>
#include <zephyr/logging/log.h>
#include <zephyr/random/random.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/// Any object changed.
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static struct timespec after(int64_t microseconds) {
    struct timespec time;

    clock_gettime(CLOCK_REALTIME, &time);
    time.tv_sec += microseconds / 1000000;
    time.tv_nsec += microseconds % 1000000 * 1000;
    if (time.tv_nsec >= 1000000000) {
        time.tv_sec++;
        time.tv_nsec -= 1000000000;
    }
    return time;
}

int k_mem_slab_alloc(struct k_mem_slab *slab, void **mem, k_timeout_t timeout) {
    int error = 0;

    if (timeout.ticks != 0) {
        abort();
    }
    pthread_mutex_lock(&lock);
    if (slab->free_list != NULL) {
        *mem = slab->free_list;
        slab->free_list = *(void **)*mem;
    } else if (slab->num_untouched > 0) {
        *mem = slab->buffer + (slab->num_blocks - slab->num_untouched) * slab->block_size;
        slab->num_untouched--;
    } else {
        error = -ENOMEM;
    }
    pthread_mutex_unlock(&lock);
    return error;
}

void k_mem_slab_free(struct k_mem_slab *slab, void *mem) {
    pthread_mutex_lock(&lock);
    *(void **)mem = slab->free_list;
    slab->free_list = mem;
    pthread_mutex_unlock(&lock);
}

/// With the lock held. The first word of an item is the kernel's.
static void append(struct k_fifo *fifo, void *item) {
    *(void **)item = NULL;
    if (fifo->head == NULL) {
        fifo->head = item;
    } else {
        *(void **)fifo->tail = item;
    }
    fifo->tail = item;
    pthread_cond_broadcast(&changed);
}

void k_fifo_put(struct k_fifo *fifo, void *data) {
    pthread_mutex_lock(&lock);
    append(fifo, data);
    pthread_mutex_unlock(&lock);
}

void *k_fifo_get(struct k_fifo *fifo, k_timeout_t timeout) {
    struct timespec end = after(timeout.ticks > 0 ? timeout.ticks : 0);
    int error = timeout.ticks == 0 ? ETIMEDOUT : 0;
    void *item;

    pthread_mutex_lock(&lock);
    while (fifo->head == NULL && error == 0) {
        error = timeout.ticks < 0 ? pthread_cond_wait(&changed, &lock)
                                  : pthread_cond_timedwait(&changed, &lock, &end);
    }
    item = fifo->head;
    if (item != NULL) {
        fifo->head = *(void **)item;
    }
    pthread_mutex_unlock(&lock);
    return item;
}

int k_mutex_lock(struct k_mutex *mutex, k_timeout_t timeout) {
    (void)timeout;
    pthread_mutex_lock(&lock);
    while (mutex->is_locked) {
        pthread_cond_wait(&changed, &lock);
    }
    mutex->is_locked = true;
    pthread_mutex_unlock(&lock);
    return 0;
}

int k_mutex_unlock(struct k_mutex *mutex) {
    pthread_mutex_lock(&lock);
    mutex->is_locked = false;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return 0;
}

struct start {
    k_thread_entry_t entry;
    void *arguments[3];
};

static void *run(void *argument) {
    struct start start = *(struct start *)argument;

    free(argument);
    start.entry(start.arguments[0], start.arguments[1], start.arguments[2]);
    return NULL;
}

k_tid_t k_thread_create(struct k_thread *new_thread, k_thread_stack_t *stack, size_t stack_size,
    k_thread_entry_t entry, void *p1, void *p2, void *p3, int prio, uint32_t options,
    k_timeout_t delay) {
    struct start *start = malloc(sizeof *start);
    pthread_t thread;

    (void)stack, (void)stack_size, (void)prio, (void)options, (void)delay;
    *start = (struct start) { entry, { p1, p2, p3 } };
    if (pthread_create(&thread, NULL, run, start) != 0) {
        abort();
    }
    return new_thread;
}

/// How often this thread has locked the scheduler.
static _Thread_local int scheduler_locks;

void k_sched_lock(void) { scheduler_locks++; }

void k_sched_unlock(void) {
    if (scheduler_locks-- == 0) {
        abort();
    }
}

/// Zephyr's Mbed TLS has no locks, and Bluetooth's threads call it as well.
psa_status_t __real_psa_verify_message(mbedtls_svc_key_id_t key, psa_algorithm_t algorithm,
    const uint8_t *input, size_t input_length, const uint8_t *signature, size_t signature_length);
psa_status_t __wrap_psa_verify_message(mbedtls_svc_key_id_t key, psa_algorithm_t algorithm,
    const uint8_t *input, size_t input_length, const uint8_t *signature, size_t signature_length) {
    if (scheduler_locks == 0) {
        fprintf(stderr, "PSA Crypto is called without a lock of the scheduler\n");
        abort();
    }
    return __real_psa_verify_message(
        key, algorithm, input, input_length, signature, signature_length);
}

static struct k_fifo work_queue;
static pthread_once_t work_queue_once = PTHREAD_ONCE_INIT;

static void *work(void *argument) {
    for (;;) {
        struct k_work *item = k_fifo_get(&work_queue, K_FOREVER);

        pthread_mutex_lock(&lock);
        item->is_queued = false;
        pthread_mutex_unlock(&lock);
        item->handler(item);
    }
    return argument;
}

static void start_work_queue(void) {
    pthread_t thread;

    if (pthread_create(&thread, NULL, work, NULL) != 0) {
        abort();
    }
}

int k_work_submit(struct k_work *item) {
    int result = 0;

    pthread_once(&work_queue_once, start_work_queue);
    pthread_mutex_lock(&lock);
    if (!item->is_queued) {
        item->is_queued = true;
        append(&work_queue, item);
        result = 1;
    }
    pthread_mutex_unlock(&lock);
    return result;
}

int64_t k_uptime_ticks(void) {
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

uint64_t k_ticks_to_us_floor64(uint64_t ticks) { return ticks; }

uint32_t sys_rand32_get(void) { return arc4random(); }

void stub_log(const char *format, ...) {
    va_list arguments;
    char line[256];

    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    fprintf(stderr, "firmware: %s\n", line);
}
