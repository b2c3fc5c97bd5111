#include "power_cut.h"

#include "board.h"
#include "cpu.h"
#include "flash.h"
#include "log.h"
#include "memory.h"
#include "options.h"
#include "semihosting.h"

/// Counts that go on after the cut.
static struct {
    uint32_t operation_count; // of this transfer
    uint32_t cut_at;          // the operation of this transfer that fails; 0 if none will
    uint32_t next_cut;        // the same of the next transfer
} plan __attribute__((section(".survives")));

/// Since this start, for the option `cutevery`.
static uint32_t operations_since_start;

void power_cut_start(bool is_first_start) {
    if (is_first_start) {
        plan.operation_count = 0;
        plan.cut_at = options.cut_from != 0 ? options.cut_from : options.cut;
        plan.next_cut = options.cut_from != 0 ? options.cut_from + 1 : 0;
    }
}

bool power_cut_is_due(void) {
    plan.operation_count++;
    operations_since_start++;
    if (plan.operation_count == plan.cut_at) {
        plan.cut_at = 0;
        return true;
    }
    return operations_since_start == options.cut_every;
}

void power_cut_note_transfer(void) {
    if (plan.next_cut == 0) {
        return;
    }
    if (plan.cut_at != 0) {
        // It took fewer operations than the number that should have failed.
        log_begin("cuts_done");
        log_number("operations", plan.operation_count);
        log_end();
        plan.next_cut = 0;
        plan.cut_at = 0;
        return;
    }
    plan.operation_count = 0;
    plan.cut_at = plan.next_cut++;
}

/// How far an operation came, from 0 to 255: scattered, and the same each time.
static uint32_t progress(void) {
    return (plan.operation_count + options.tear * 131) * 2654435761u >> 24;
}

static _Noreturn void end(const char *kind, uint32_t address) {
    log_begin("cut");
    log_text("during", kind);
    log_number("operation", plan.operation_count);
    log_address("address", address);
    log_end();
    if (options.exits_at_cut) {
        semihosting_exit(0);
    }
    cpu_reset();
}

/// Some of the units are programmed, and of the next one half of its bits.
_Noreturn void power_cut_during_write(
    uint32_t address, const uint8_t *bytes, uint32_t byte_count) {
    uint32_t unit_count = byte_count / FLASH_WRITE_BYTE_COUNT;
    uint32_t whole = unit_count * progress() / 256 * FLASH_WRITE_BYTE_COUNT;
    uint8_t half[FLASH_WRITE_BYTE_COUNT];
    memset(half, 0xFF, sizeof half);
    memcpy(half, bytes + whole, sizeof half / 2);
    if (whole > 0) {
        chip_program(address, bytes, whole);
    }
    chip_program(address + whole, half, sizeof half);
    end("write", address);
}

_Noreturn void power_cut_during_erase(uint32_t address) {
    chip_erase_in_part(address, progress());
    end("erase", address);
}
