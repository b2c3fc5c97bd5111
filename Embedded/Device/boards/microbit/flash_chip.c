#include "flash.h"

#include "board.h"
#include "cpu.h"
#include "log.h"
#include "options.h"
#include "semihosting.h"

/// The chip's own flash, through its NVMC. What is written while the NVMC is not in the right mode
/// would fault, and so would code that wrote where it stands itself.

#define NVMC 0x4001E000u
#define READY 0x400u
#define CONFIG 0x504u
#define ERASEPAGE 0x508u

enum mode {
    MODE_READ = 0,
    MODE_WRITE = 1,
    MODE_ERASE = 2,
};

static void enter(enum mode mode) {
    while (*cpu_register(NVMC + READY) == 0) {
    }
    *cpu_register(NVMC + CONFIG) = mode;
}

/// The flash is as it was; the one of an emulator can't be a file.
void chip_start(bool is_first_start) {
    (void)is_first_start;
    if (options.flash_path != 0) {
        log_begin("error");
        log_text("option", "flash=");
        log_end();
        semihosting_exit(2);
    }
}

/// As far as can be told by looking: a word that was programmed with ones counts as erased.
bool chip_is_erased(uint32_t address, uint32_t byte_count) {
    for (uint32_t i = 0; i < byte_count; i += 4) {
        if (*(const volatile uint32_t *)(address + i) != UINT32_MAX) {
            return false;
        }
    }
    return true;
}

void chip_program(uint32_t address, const void *bytes, uint32_t byte_count) {
    const uint8_t *from = bytes;
    enter(MODE_WRITE);
    for (uint32_t i = 0; i < byte_count; i += 4) {
        uint32_t word = from[i] | (uint32_t)from[i + 1] << 8 | (uint32_t)from[i + 2] << 16
            | (uint32_t)from[i + 3] << 24;
        *cpu_register(address + i) = word;
        while (*cpu_register(NVMC + READY) == 0) {
        }
    }
    enter(MODE_READ);
}

void chip_erase(uint32_t address) {
    enter(MODE_ERASE);
    *cpu_register(NVMC + ERASEPAGE) = address;
    enter(MODE_READ);
}

/// There is no half erasure to be had from the NVMC. So all of the page is erased, and then one
/// part of it programmed with what was not there before.
void chip_erase_in_part(uint32_t address, uint32_t seed) {
    uint32_t border = FLASH_PAGE_BYTE_COUNT * (seed & 0xFF) / 256 & ~3u;
    uint32_t from = (seed & 1) != 0 ? border : 0;
    uint32_t end = (seed & 1) != 0 ? FLASH_PAGE_BYTE_COUNT : border;
    uint32_t noise = seed * 2 + 1;
    chip_erase(address);
    for (uint32_t at = from; at < end; at += 4) {
        noise = noise * 1664525u + 1013904223u;
        chip_program(address + at, &noise, sizeof noise);
    }
}
