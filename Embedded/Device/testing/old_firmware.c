#include "old_firmware.h"

#include "board.h"
#include "flash.h"
#include "memory.h"
#include "sha256.h"

#include <stdbool.h>

static uint8_t found[32];

/// The word at an address; no two are the same.
static uint32_t pattern_word(uint32_t address) { return address * 2654435761u ^ 0x0B1E07A0u; }

/// Whether nothing was ever there: a new chip holds ones, an emulated one perhaps zeros.
static bool is_blank(void) {
    uint32_t end = OLD_FIRMWARE_ADDRESS + OLD_FIRMWARE_BYTE_COUNT;
    for (uint32_t address = OLD_FIRMWARE_ADDRESS; address < end; address += 4) {
        uint32_t word = *(const uint32_t *)address;
        if (word != 0 && word != UINT32_MAX) {
            return false;
        }
    }
    return true;
}

void old_firmware_install(void) {
    uint32_t end = OLD_FIRMWARE_ADDRESS + OLD_FIRMWARE_BYTE_COUNT;
    if (!is_blank()) {
        return;
    }
    for (uint32_t page = OLD_FIRMWARE_ADDRESS; page < end; page += FLASH_PAGE_BYTE_COUNT) {
        chip_erase(page);
    }
    uint32_t words[64];
    for (uint32_t address = OLD_FIRMWARE_ADDRESS; address < end; address += sizeof words) {
        for (uint32_t i = 0; i < 64; i++) {
            words[i] = pattern_word(address + 4 * i);
        }
        chip_program(address, words, sizeof words);
    }
}

static void hash_pattern(uint8_t digest[32]) {
    sha256 hash;
    sha256_start(&hash);
    for (uint32_t at = 0; at < OLD_FIRMWARE_BYTE_COUNT; at += 4) {
        uint32_t word = pattern_word(OLD_FIRMWARE_ADDRESS + at);
        sha256_update(&hash, &word, sizeof word);
    }
    sha256_finish(&hash, digest);
}

void old_firmware_check(void) {
    uint8_t expected[32];
    hash_pattern(expected);
    sha256 hash;
    sha256_start(&hash);
    sha256_update(&hash, (const void *)OLD_FIRMWARE_ADDRESS, OLD_FIRMWARE_BYTE_COUNT);
    sha256_finish(&hash, found);
    if (memcmp(found, expected, sizeof found) != 0) {
        flash_report_violation("the old firmware has changed", OLD_FIRMWARE_ADDRESS);
    }
}

const uint8_t *old_firmware_sha256(void) { return found; }
