/*
 * SPDX-License-Identifier: Apache-2.0
 *
 * Where things are in the flash: 512 KiB of pages of 4 KiB that are programmed in words. The
 * firmware and its boot loader include the same file.
 */
#ifndef FLASH_MAP_H
#define FLASH_MAP_H

#include "bleota_types.h"
#include "board.h"

#define PAGE_BYTE_COUNT 4096u
#define SLOT_BYTE_COUNT (57u * PAGE_BYTE_COUNT)
/* 9 pages for the boot loader, two slots, then the state of bleota. */
#define SLOT_A_ADDRESS (9u * PAGE_BYTE_COUNT)
#define SLOT_B_ADDRESS (SLOT_A_ADDRESS + SLOT_BYTE_COUNT)
#define MANIFEST_ADDRESS (SLOT_B_ADDRESS + SLOT_BYTE_COUNT)
#define MANIFEST_BYTE_COUNT (2u * PAGE_BYTE_COUNT)
#define RECORD_ADDRESS (MANIFEST_ADDRESS + MANIFEST_BYTE_COUNT)

static inline int32_t flash_read(void *context, uint32_t address, void *bytes,
                                 uint32_t byte_count)
{
    (void)context;
    return board_flash_read(address, bytes, byte_count);
}

/* All of it but the slot that a new image goes to. */
static inline bleota_flash flash_map(uint32_t slot_address)
{
    return (bleota_flash){
        .page_byte_count = PAGE_BYTE_COUNT,
        .write_byte_count = 4,
        .slot_address = slot_address,
        .slot_byte_count = SLOT_BYTE_COUNT,
        .manifest_address = MANIFEST_ADDRESS,
        .manifest_byte_count = MANIFEST_BYTE_COUNT,
        .record_address = RECORD_ADDRESS,
    };
}

#endif
