#include "flash.h"

#include "board.h"
#include "log.h"
#include "memory.h"
#include "options.h"
#include "semihosting.h"

/// NOR flash, played by memory: programming clears bits, and each word can be programmed once after
/// an erasure. With the option `flash` it is a file of the host too, which is written first of all:
/// then also who kills the emulator cuts the power.

enum {
    UNIT_BYTE_COUNT = FLASH_WRITE_BYTE_COUNT,
    UNIT_COUNT = FLASH_BYTE_COUNT / UNIT_BYTE_COUNT,
    PAGE_MARK_COUNT = FLASH_PAGE_BYTE_COUNT / UNIT_BYTE_COUNT / 8,
};

/// A bit a unit: it is not known to be erased. Also one whose programming or erasure was cut short
/// and which reads as erased: a real cell would perhaps read otherwise tomorrow.
static uint8_t marks[UNIT_COUNT / 8] __attribute__((section(".survives")));

static int32_t file = -1;

static uint8_t *cells(uint32_t address) { return (uint8_t *)address; }

static _Noreturn void end_for_file(void) {
    log_begin("error");
    log_text("file", options.flash_path);
    log_end();
    semihosting_exit(2);
}

static void save(uint32_t offset, const void *bytes, uint32_t byte_count) {
    if (file >= 0 && !semihosting_write_at(file, offset, bytes, byte_count)) {
        end_for_file();
    }
}

static void save_cells(uint32_t address, uint32_t byte_count) {
    save(address - FLASH_ADDRESS, cells(address), byte_count);
}

/// The marks stand in the file behind the cells.
static void save_marks(uint32_t first, uint32_t count) {
    save(FLASH_BYTE_COUNT + first, marks + first, count);
}

static void format(void) {
    memset(cells(FLASH_ADDRESS), 0xFF, FLASH_BYTE_COUNT);
    memset(marks, 0, sizeof marks);
}

static void open_file(bool is_first_start) {
    file = semihosting_open(options.flash_path, SEMIHOSTING_UPDATE);
    if (file >= 0) {
        if (is_first_start
            && !(semihosting_read_at(file, 0, cells(FLASH_ADDRESS), FLASH_BYTE_COUNT)
                && semihosting_read_at(file, FLASH_BYTE_COUNT, marks, sizeof marks))) {
            end_for_file();
        }
        return;
    }
    file = semihosting_open(options.flash_path, SEMIHOSTING_CREATE);
    if (file < 0) {
        end_for_file();
    }
    save_cells(FLASH_ADDRESS, FLASH_BYTE_COUNT);
    save_marks(0, sizeof marks);
}

void chip_start(bool is_first_start) {
    if (is_first_start) {
        format();
    }
    if (options.flash_path != 0) {
        open_file(is_first_start);
    }
}

static uint32_t unit_of(uint32_t address) { return (address - FLASH_ADDRESS) / UNIT_BYTE_COUNT; }

bool chip_is_erased(uint32_t address, uint32_t byte_count) {
    uint32_t end = unit_of(address + byte_count);
    for (uint32_t unit = unit_of(address); unit < end; unit++) {
        if ((marks[unit / 8] >> unit % 8 & 1) != 0) {
            return false;
        }
    }
    return true;
}

void chip_program(uint32_t address, const void *bytes, uint32_t byte_count) {
    uint32_t first = unit_of(address), end = unit_of(address + byte_count);
    for (uint32_t unit = first; unit < end; unit++) {
        marks[unit / 8] |= (uint8_t)(1u << unit % 8);
    }
    save_marks(first / 8, (end - 1) / 8 - first / 8 + 1);
    for (uint32_t i = 0; i < byte_count; i++) {
        cells(address)[i] &= ((const uint8_t *)bytes)[i];
    }
    save_cells(address, byte_count);
}

static void mark_page(uint32_t address, uint8_t all) {
    uint32_t first = unit_of(address) / 8;
    memset(marks + first, all, PAGE_MARK_COUNT);
    save_marks(first, PAGE_MARK_COUNT);
}

void chip_erase(uint32_t address) {
    mark_page(address, 0xFF);
    memset(cells(address), 0xFF, FLASH_PAGE_BYTE_COUNT);
    save_cells(address, FLASH_PAGE_BYTE_COUNT);
    mark_page(address, 0);
}

/// The page is erased at one end, old at the other, and something between where the two meet.
void chip_erase_in_part(uint32_t address, uint32_t seed) {
    uint8_t *page = cells(address);
    uint32_t border = FLASH_PAGE_BYTE_COUNT * (seed & 0xFF) / 256;
    mark_page(address, 0xFF);
    if ((seed & 1) != 0) {
        memset(page, 0xFF, border);
    } else {
        memset(page + border, 0xFF, FLASH_PAGE_BYTE_COUNT - border);
    }
    page[border] |= 0x5A;
    save_cells(address, FLASH_PAGE_BYTE_COUNT);
}
