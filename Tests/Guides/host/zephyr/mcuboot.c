#include "mcuboot.h"

#include <stdlib.h>
#include <string.h>

#include "flash_file.h"

enum {
    /// Offsets from the end of a slot.
    MAGIC = 16,
    IMAGE_OK = 24,
    COPY_DONE = 32,
    FLAG_SET = 1,
};

static const uint32_t magic[4] = { 0xf395c277, 0x7fefd260, 0x0f505235, 0x8079b62c };

static bool has(uint32_t address, const void *bytes, uint32_t byte_count) {
    uint8_t there[sizeof magic];

    flash_file_read(address, there, byte_count);
    return memcmp(there, bytes, byte_count) == 0;
}

mcuboot_trailer mcuboot_read(uint32_t slot_address) {
    uint32_t end = slot_address + SLOT_BYTE_COUNT;
    uint8_t set = FLAG_SET;

    return (mcuboot_trailer) {
        .has_magic = has(end - MAGIC, magic, sizeof magic),
        .is_image_ok = has(end - IMAGE_OK, &set, 1),
        .is_copy_done = has(end - COPY_DONE, &set, 1),
    };
}

void mcuboot_write_magic(uint32_t slot_address) {
    flash_file_write(slot_address + SLOT_BYTE_COUNT - MAGIC, magic, sizeof magic);
}

void mcuboot_write_image_ok(uint32_t slot_address) {
    const uint8_t set[4] = { FLAG_SET, 0xFF, 0xFF, 0xFF };

    flash_file_write(slot_address + SLOT_BYTE_COUNT - IMAGE_OK, set, sizeof set);
}

mcuboot_swap mcuboot_next_swap(void) {
    mcuboot_trailer primary = mcuboot_read(SLOT0_ADDRESS), secondary = mcuboot_read(SLOT1_ADDRESS);

    if (secondary.has_magic) {
        return MCUBOOT_TEST;
    }
    return primary.has_magic && primary.is_copy_done && !primary.is_image_ok ? MCUBOOT_REVERT
                                                                             : MCUBOOT_NONE;
}

void mcuboot_run(void) {
    enum { BODY_BYTE_COUNT = SLOT_BYTE_COUNT - FLASH_PAGE_BYTE_COUNT };
    mcuboot_swap swap = mcuboot_next_swap();
    uint8_t *old, *new;
    uint8_t *trailer;

    if (swap == MCUBOOT_NONE) {
        return;
    }
    old = malloc(FLASH_BYTE_COUNT);
    new = malloc(FLASH_BYTE_COUNT);
    flash_file_read(0, old, FLASH_BYTE_COUNT);
    memcpy(new, old, FLASH_BYTE_COUNT);
    memset(new + SLOT0_ADDRESS, 0xFF, SLOT_BYTE_COUNT);
    memset(new + SLOT1_ADDRESS, 0xFF, SLOT_BYTE_COUNT);
    memcpy(new + SLOT0_ADDRESS, old + SLOT1_ADDRESS, BODY_BYTE_COUNT);
    memcpy(new + SLOT1_ADDRESS, old + SLOT0_ADDRESS, BODY_BYTE_COUNT);
    trailer = new + SLOT0_ADDRESS + SLOT_BYTE_COUNT;
    memcpy(trailer - MAGIC, magic, sizeof magic);
    trailer[-COPY_DONE] = FLAG_SET;
    if (swap == MCUBOOT_REVERT) {
        trailer[-IMAGE_OK] = FLAG_SET;
    }
    flash_file_replace(new);
    free(old);
    free(new);
}
