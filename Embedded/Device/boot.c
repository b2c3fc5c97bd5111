#include "boot.h"

#include "board.h"
#include "flash.h"
#include "log.h"
#include "memory.h"
#include "old_firmware.h"
#include "sha256.h"

/// A record is believed, and still the image is hashed anew: the flash may have aged since.
static bool holds_image(const bleota_record *record, boot_choice *choice) {
    sha256 hash;
    if (record->image_byte_count > SLOT_BYTE_COUNT || record->slot_address != SLOT_ADDRESS) {
        return false;
    }
    sha256_start(&hash);
    sha256_update(&hash, (const void *)record->slot_address, record->image_byte_count);
    sha256_finish(&hash, choice->sha256);
    choice->byte_count = record->image_byte_count;
    return memcmp(choice->sha256, record->image_sha256, sizeof choice->sha256) == 0;
}

static void report(const boot_choice *choice, const bleota_record *record) {
    log_begin("boot");
    log_text("board", BOARD_NAME);
    log_text("from", choice->is_from_slot ? "slot" : "old");
    log_number("byte_count", choice->byte_count);
    log_hex("sha256", choice->sha256, sizeof choice->sha256);
    log_number("record", record->sequence);
    log_number("violations", flash_read_account().violation_count);
    log_end();
}

boot_choice boot_choose(const bleota_setup *setup) {
    boot_choice choice = { 0 };
    bleota_record record = { 0 };
    bleota_error error = bleota_read_record(setup, &record);
    if (error != BLEOTA_OK && error != BLEOTA_NO_RECORD) {
        flash_report_violation(bleota_error_name(error), RECORD_ADDRESS);
    }
    if (error == BLEOTA_OK && record.image_byte_count > 0) {
        choice.is_from_slot = holds_image(&record, &choice);
        if (!choice.is_from_slot) {
            flash_report_violation("the record names an image that is not there", SLOT_ADDRESS);
        }
    }
    old_firmware_check();
    if (!choice.is_from_slot) {
        choice.byte_count = OLD_FIRMWARE_BYTE_COUNT;
        memcpy(choice.sha256, old_firmware_sha256(), sizeof choice.sha256);
    }
    report(&choice, &record);
    return choice;
}
