#include "flash.h"

#include "board.h"
#include "clock.h"
#include "log.h"
#include "memory.h"
#include "options.h"
#include "power_cut.h"

enum { PAGE_COUNT = FLASH_BYTE_COUNT / FLASH_PAGE_BYTE_COUNT };

/// Memory holds anything when the power comes; with this word in it, it holds the account.
static const uint32_t magic = 0x464C4153;

static struct {
    uint32_t magic;
    uint32_t operation_count;
    uint32_t violation_count;
    uint16_t wear[PAGE_COUNT];
} account __attribute__((section(".survives")));

bool flash_start(void) {
    bool is_first_start = account.magic != magic;
    if (is_first_start) {
        memset(&account, 0, sizeof account);
        account.magic = magic;
    }
    chip_start(is_first_start);
    power_cut_start(is_first_start);
    return is_first_start;
}

void flash_report_violation(const char *what, uint32_t address) {
    account.violation_count++;
    log_begin("violation");
    log_text("what", what);
    log_address("address", address);
    log_end();
}

static bool is_within(uint32_t address, uint32_t byte_count, uint32_t start, uint32_t room) {
    return address >= start && byte_count <= room && address - start <= room - byte_count;
}

/// Only in one of the three areas that the receiver was given.
static bool may_change(uint32_t address, uint32_t byte_count) {
    return is_within(address, byte_count, SLOT_ADDRESS, SLOT_BYTE_COUNT)
        || is_within(address, byte_count, MANIFEST_ADDRESS, MANIFEST_BYTE_COUNT)
        || is_within(address, byte_count, RECORD_ADDRESS, 2 * FLASH_PAGE_BYTE_COUNT);
}

int32_t flash_read(void *context, uint32_t address, void *bytes, uint32_t byte_count) {
    (void)context;
    if (!is_within(address, byte_count, FLASH_ADDRESS, FLASH_BYTE_COUNT)) {
        flash_report_violation("read outside the flash", address);
        return 1;
    }
    memcpy(bytes, (const void *)address, byte_count);
    return 0;
}

static const char *fault_of_write(uint32_t address, uint32_t byte_count) {
    if (!may_change(address, byte_count)) {
        return "write outside the areas";
    }
    if ((address | byte_count) % FLASH_WRITE_BYTE_COUNT != 0 || byte_count == 0) {
        return "write misaligned";
    }
    return chip_is_erased(address, byte_count) ? 0 : "write to what is not erased";
}

int32_t flash_write(void *context, uint32_t address, const void *bytes, uint32_t byte_count) {
    (void)context;
    const char *fault = fault_of_write(address, byte_count);
    if (fault != 0) {
        flash_report_violation(fault, address);
        return 2;
    }
    if (++account.operation_count == options.fail) {
        return 4;
    }
    if (power_cut_is_due()) {
        power_cut_during_write(address, bytes, byte_count);
    }
    chip_program(address, bytes, byte_count);
    clock_wait(options.write_microseconds * (byte_count / FLASH_WRITE_BYTE_COUNT));
    return 0;
}

int32_t flash_erase(void *context, uint32_t address) {
    (void)context;
    if (!may_change(address, FLASH_PAGE_BYTE_COUNT) || address % FLASH_PAGE_BYTE_COUNT != 0) {
        flash_report_violation("erasure outside the areas or misaligned", address);
        return 3;
    }
    if (++account.operation_count == options.fail) {
        return 4;
    }
    account.wear[(address - FLASH_ADDRESS) / FLASH_PAGE_BYTE_COUNT]++;
    if (power_cut_is_due()) {
        power_cut_during_erase(address);
    }
    chip_erase(address);
    clock_wait(options.erase_microseconds);
    return 0;
}

void flash_note_transfer(void) { power_cut_note_transfer(); }

flash_account flash_read_account(void) {
    flash_account result = { account.operation_count, account.violation_count, 0 };
    for (uint32_t i = 0; i < PAGE_COUNT; i++) {
        result.wear_max = account.wear[i] > result.wear_max ? account.wear[i] : result.wear_max;
    }
    return result;
}
