#include "report.h"

#include "board.h"
#include "flash.h"
#include "hooks.h"
#include "log.h"
#include "old_firmware.h"
#include "options.h"
#include "semihosting.h"
#include "stack.h"

static void dump_image(void) {
    bleota_record record = { 0 };
    if (bleota_read_record(&device_setup, &record) != BLEOTA_OK) {
        flash_report_violation("verified, and there is no record", RECORD_ADDRESS);
        return;
    }
    int32_t file = semihosting_open(options.dump_path, SEMIHOSTING_CREATE);
    if (file < 0
        || !semihosting_write_at(
            file, 0, (const void *)record.slot_address, record.image_byte_count)) {
        log_begin("error");
        log_text("file", options.dump_path);
        log_end();
        semihosting_exit(2);
    }
    semihosting_close(file);
}

void report_session(void) {
    old_firmware_check();
    if (session.reason == 0) {
        flash_note_transfer();
        if (options.dump_path != 0) {
            dump_image();
        }
    }
    flash_account account = flash_read_account();
    log_begin("ended");
    log_number("reason", session.reason);
    log_number("resumed", session.resumed_byte_count);
    log_number("durable", session.durable_byte_count);
    log_number("blocks_rejected", session.rejected_block_count);
    log_number("flash_failures", session.flash_failure_count);
    log_number("operations", account.operation_count);
    log_number("violations", account.violation_count);
    log_number("wear_max", account.wear_max);
    log_number("stack_peak", stack_peak_byte_count());
    log_end();
}
