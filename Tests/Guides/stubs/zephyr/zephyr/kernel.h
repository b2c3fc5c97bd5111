/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STUB_KERNEL_H
#define STUB_KERNEL_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zephyr/sys/util.h>

/* In microseconds; below 0 it is for ever. */
typedef struct {
	int64_t ticks;
} k_timeout_t;

#define K_NO_WAIT ((k_timeout_t){0})
#define K_FOREVER ((k_timeout_t){-1})
#define K_USEC(t) ((k_timeout_t){(t)})

struct k_mem_slab {
	uint8_t *buffer;
	size_t block_size;
	uint32_t num_blocks;
	/* The first of the blocks that were given back, and how many were never given out. */
	void *free_list;
	uint32_t num_untouched;
};

#define K_MEM_SLAB_DEFINE_STATIC(name, slab_block_size, slab_num_blocks, slab_align)              \
	static _Alignas(slab_align) uint8_t name##_buffer[(slab_num_blocks) * (slab_block_size)]; \
	static struct k_mem_slab name = {name##_buffer, (slab_block_size), (slab_num_blocks),     \
					 NULL, (slab_num_blocks)}

int k_mem_slab_alloc(struct k_mem_slab *slab, void **mem, k_timeout_t timeout);
void k_mem_slab_free(struct k_mem_slab *slab, void *mem);

struct k_fifo {
	void *head;
	void *tail;
};

#define K_FIFO_DEFINE(name) struct k_fifo name = {0}

/* Macros in Zephyr. */
void k_fifo_put(struct k_fifo *fifo, void *data);
void *k_fifo_get(struct k_fifo *fifo, k_timeout_t timeout);

struct k_mutex {
	bool is_locked;
};

#define K_MUTEX_DEFINE(name) struct k_mutex name = {0}

int k_mutex_lock(struct k_mutex *mutex, k_timeout_t timeout);
int k_mutex_unlock(struct k_mutex *mutex);

struct k_work;
typedef void (*k_work_handler_t)(struct k_work *work);

struct k_work {
	void *next;
	k_work_handler_t handler;
	bool is_queued;
};

#define K_WORK_DEFINE(work, work_handler) struct k_work work = {.handler = (work_handler)}

int k_work_submit(struct k_work *work);

typedef struct {
	char data;
} k_thread_stack_t;

#define K_THREAD_STACK_DEFINE(sym, size) k_thread_stack_t sym[size]
#define K_THREAD_STACK_SIZEOF(sym) (sizeof(sym))
#define K_PRIO_PREEMPT(x) (x)

struct k_thread {
	void *next;
};

typedef struct k_thread *k_tid_t;
typedef void (*k_thread_entry_t)(void *p1, void *p2, void *p3);

k_tid_t k_thread_create(struct k_thread *new_thread, k_thread_stack_t *stack, size_t stack_size,
			k_thread_entry_t entry, void *p1, void *p2, void *p3, int prio,
			uint32_t options, k_timeout_t delay);

void k_sched_lock(void);
void k_sched_unlock(void);

int64_t k_uptime_ticks(void);
uint64_t k_ticks_to_us_floor64(uint64_t t);

#endif
