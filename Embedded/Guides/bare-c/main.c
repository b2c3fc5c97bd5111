/*
 * SPDX-License-Identifier: Apache-2.0
 *
 * The firmware of a device with two slots: takes an image into the slot it does not run from.
 */
#include <stddef.h>

#include "bleota_receiver.h"
#include "board.h"
#include "flash_map.h"
#include "trust.h"

/* How many frames are taken before the flash gets its turn: what the ring of the link holds. */
#define FRAME_COUNT_MAX 40

/* Two blocks of 4,096 bytes, and with a slot of up to 2 MiB less than 1 KiB;
 * bleota_receiver_byte_count says it exactly. */
static _Alignas(8) uint8_t memory[9216];
static bool has_verified;

static int32_t flash_write(void *context, uint32_t address, const void *bytes,
                           uint32_t byte_count)
{
    (void)context;
    return board_flash_write(address, bytes, byte_count);
}

static int32_t flash_erase(void *context, uint32_t address)
{
    (void)context;
    return board_flash_erase_page(address);
}

static bool send(void *context, const void *frame, uint32_t byte_count)
{
    (void)context;
    return board_link_send(frame, byte_count);
}

static uint64_t now(void *context)
{
    (void)context;
    return board_now();
}

static void log_event(void *context, bleota_event event, uint32_t number)
{
    (void)context;
    has_verified |= event == BLEOTA_EVENT_ENDED && number == BLEOTA_REASON_VERIFIED;
}

static uint32_t other_slot(void)
{
    return board_running_slot() == SLOT_A_ADDRESS ? SLOT_B_ADDRESS : SLOT_A_ADDRESS;
}

static const bleota_setup *setup(void)
{
    static bleota_setup setup;

    setup = (bleota_setup){
        .hooks = {
            .read = flash_read,
            .write = flash_write,
            .erase = flash_erase,
            .send = send,
            .now = now,
            .log = log_event,
            .trusts = release_trusts,
            .verify = release_verifies,
        },
        .flash = flash_map(other_slot()),
        .control_byte_count_max = BLEOTA_CONTROL_BYTE_COUNT_MAX,
        .first_epoch = (uint8_t)board_now(),
        .hardware = "acme/lamp",
        .revision = 3,
    };
    return &setup;
}

/* Says what runs, if the record can be read and knows it. This boot loader has no trial: what
 * runs, stays. */
static bleota_error tell_running(bleota_receiver *receiver, const bleota_setup *setup)
{
    bleota_record record;

    if (bleota_read_record(setup, &record) != BLEOTA_OK || record.image_byte_count == 0 ||
        record.slot_address != board_running_slot()) {
        return bleota_receiver_set_running(receiver, BLEOTA_RUNNING_UNKNOWN, NULL);
    }
    return bleota_receiver_set_running(receiver, BLEOTA_RUNNING_CONFIRMED, record.image_sha256);
}

static bleota_error take_frames(bleota_receiver *receiver)
{
    static uint8_t frame[BLEOTA_FRAME_BYTE_COUNT_MAX];
    bleota_error error = BLEOTA_OK;

    for (int i = 0; i < FRAME_COUNT_MAX && error == BLEOTA_OK; i++) {
        bool is_control;
        uint32_t byte_count = board_link_receive(frame, sizeof(frame), &is_control);

        if (byte_count == 0) {
            break;
        }
        error = is_control ? bleota_receiver_take_control(receiver, frame, byte_count)
                           : bleota_receiver_take_data(receiver, frame, byte_count);
    }
    return error;
}

/* Starts the image that was verified. An image that runs already is verified, too, when it is
 * pushed again. */
static void restart_if_new(const bleota_setup *setup)
{
    bleota_record record;

    if (bleota_read_record(setup, &record) == BLEOTA_OK && record.image_byte_count > 0 &&
        record.slot_address != board_running_slot()) {
        board_reset();
    }
    has_verified = false;
}

/* One turn of the main loop. */
static bleota_error serve(bleota_receiver *receiver, const bleota_setup *setup)
{
    uint32_t wait;
    bleota_status status;
    bleota_error error = take_frames(receiver);

    if (error == BLEOTA_OK) {
        error = bleota_receiver_run(receiver, &wait);
    }
    if (error == BLEOTA_OK) {
        error = bleota_receiver_status(receiver, &status);
    }
    if (error != BLEOTA_OK) {
        return error;
    }
    /* The sender has its RESULT, or did not fetch it in 10 seconds. */
    if (has_verified && status.phase != BLEOTA_PHASE_FINISHED) {
        restart_if_new(setup);
    }
    if (wait > 0) {
        board_sleep(wait);
    }
    return BLEOTA_OK;
}

int main(void)
{
    const bleota_setup *own = setup();
    bleota_receiver *receiver;
    bleota_error error = bleota_receiver_start(memory, sizeof(memory), own, &receiver);

    if (error == BLEOTA_FLASH_FAILED) {
        board_reset();
    }
    if (error == BLEOTA_OK) {
        error = tell_running(receiver, own);
    }
    while (error == BLEOTA_OK) {
        error = serve(receiver, own);
    }
    /* An error here is a mistake in this program; see bleota_error_name. */
    return (int)error;
}
