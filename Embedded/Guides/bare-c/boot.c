/*
 * SPDX-License-Identifier: Apache-2.0
 *
 * The boot loader of a device with two slots: starts the image of the record.
 */
#include "bleota_receiver.h"
#include "board.h"
#include "flash_map.h"

/* The slot of the image that a record says is whole. */
static uint32_t slot_of(const bleota_record *record)
{
    /* A record without an image says that what was in its slot is being written over: what
     * counts is the other one, which is the one that did the writing. */
    bool is_own = record->image_byte_count > 0;

    switch (record->slot_address) {
    case SLOT_A_ADDRESS:
        return is_own ? SLOT_A_ADDRESS : SLOT_B_ADDRESS;
    case SLOT_B_ADDRESS:
        return is_own ? SLOT_B_ADDRESS : SLOT_A_ADDRESS;
    default:
        /* Of another map: nothing was made current in this one. */
        return SLOT_A_ADDRESS;
    }
}

/* The slot of the image to start: where nothing was ever received, the one it was made with. */
static uint32_t slot_to_start(void)
{
    bleota_record record;
    const bleota_setup setup = {
        .hooks = {.read = flash_read},
        /* Reading the record asks for a whole map; the slot in it has no meaning here. */
        .flash = flash_map(SLOT_B_ADDRESS),
    };

    switch (bleota_read_record(&setup, &record)) {
    case BLEOTA_OK:
        return slot_of(&record);
    case BLEOTA_NO_RECORD:
        return SLOT_A_ADDRESS;
    default:
        /* The flash can't be read. Either slot may be the one that is being written, so none is
         * started on a guess. */
        board_reset();
    }
}

int main(void)
{
    board_jump(slot_to_start());
}
