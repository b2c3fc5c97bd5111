/*
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the glue needs of a board; the names are yours.
 */
#ifndef BOARD_H
#define BOARD_H

#include <stdbool.h>
#include <stdint.h>

/* The flash. Return 0 when it is done, or what went wrong. */
int32_t board_flash_read(uint32_t address, void *bytes, uint32_t byte_count);
int32_t board_flash_write(uint32_t address, const void *bytes, uint32_t byte_count);
int32_t board_flash_erase_page(uint32_t address);

/* Microseconds since the start, in 64 bits. */
uint64_t board_now(void);

/* Copies a whole frame to the link's buffer; false, and nothing copied, if it has no room. */
bool board_link_send(const void *frame, uint32_t byte_count);

/* Copies the next frame that has arrived, and says which channel it came on. Returns how long it
 * is, 0 if there is none. An interrupt fills a ring of frames; what does not fit it is dropped. */
uint32_t board_link_receive(void *frame, uint32_t room, bool *is_control);

/* Sleeps until an interrupt or until this time has passed. Must return at once if a frame has
 * arrived since the last board_link_receive. */
void board_sleep(uint32_t microseconds);

/* The address of the slot that this firmware was linked for. */
uint32_t board_running_slot(void);

/* Ends all and begins at the reset vector. */
_Noreturn void board_reset(void);

/* Starts what is at an address: its stack pointer, then its reset vector. */
_Noreturn void board_jump(uint32_t address);

#endif
