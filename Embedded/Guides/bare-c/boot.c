/*
 * SPDX-License-Identifier: Apache-2.0
 *
 * The boot loader of a device with two slots: starts the image of the record.
 */
#include "bleota_receiver.h"
#include "board.h"
#include "flash_map.h"

/* The slot of the image to start: where nothing was ever received, the one it was made with. */
static uint32_t slot_to_start(void)
{
    bleota_record record;
    const bleota_setup setup = {
        .hooks = {.read = flash_read},
        /* Reading the record asks for a whole map; the slot in it has no meaning here. */
        .flash = flash_map(SLOT_B_ADDRESS),
    };

    if (bleota_read_record(&setup, &record) != BLEOTA_OK) {
        return SLOT_A_ADDRESS;
    }
    /* A record without an image says that what was in its slot is being written over: what
     * counts is the other one, which is the one that did the writing. */
    if (record.image_byte_count == 0) {
        return record.slot_address == SLOT_A_ADDRESS ? SLOT_B_ADDRESS : SLOT_A_ADDRESS;
    }
    return record.slot_address;
}

int main(void)
{
    board_jump(slot_to_start());
}
