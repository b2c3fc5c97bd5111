/// Zephyr's flash map on this machine, with the areas of an nRF52840 DK and of the guide's overlay, and
/// what a firmware knows of MCUboot: its trailers, as bootutil_public.c has them.

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <zephyr/dfu/mcuboot.h>
#include <zephyr/drivers/flash.h>
#include <zephyr/storage/flash_map.h>

#include "flash_file.h"
#include "mcuboot.h"
#include "sha256.h"

struct device {
    int unused;
};

static const struct device chip;

static const struct flash_area areas[] = {
    { .fa_id = STUB_PARTITION_slot0_partition, .fa_off = SLOT0_ADDRESS, .fa_size = SLOT_BYTE_COUNT,
        .fa_dev = &chip },
    { .fa_id = STUB_PARTITION_slot1_partition, .fa_off = SLOT1_ADDRESS, .fa_size = SLOT_BYTE_COUNT,
        .fa_dev = &chip },
    { .fa_id = STUB_PARTITION_storage_partition, .fa_off = 0xf8000, .fa_size = 0x4000, .fa_dev = &chip },
    { .fa_id = STUB_PARTITION_bleota_partition, .fa_off = 0xfc000, .fa_size = 0x4000, .fa_dev = &chip },
};

int flash_area_open(uint8_t id, const struct flash_area **fa) {
    for (size_t i = 0; i < sizeof areas / sizeof areas[0]; i++) {
        if (areas[i].fa_id == id) {
            *fa = &areas[i];
            return 0;
        }
    }
    return -ENOENT;
}

void flash_area_close(const struct flash_area *fa) { (void)fa; }

static bool is_within(const struct flash_area *fa, off_t off, size_t len) {
    return off >= 0 && (size_t)off <= fa->fa_size && len <= fa->fa_size - (size_t)off;
}

int flash_area_read(const struct flash_area *fa, off_t off, void *dst, size_t len) {
    if (!is_within(fa, off, len)) {
        return -EINVAL;
    }
    flash_file_read((uint32_t)(fa->fa_off + off), dst, (uint32_t)len);
    return 0;
}

int flash_area_write(const struct flash_area *fa, off_t off, const void *src, size_t len) {
    if (!is_within(fa, off, len)) {
        return -EINVAL;
    }
    flash_file_write((uint32_t)(fa->fa_off + off), src, (uint32_t)len);
    return 0;
}

int flash_area_erase(const struct flash_area *fa, off_t off, size_t len) {
    if (!is_within(fa, off, len)) {
        return -EINVAL;
    }
    flash_file_erase((uint32_t)(fa->fa_off + off), (uint32_t)len);
    return 0;
}

uint32_t flash_area_align(const struct flash_area *fa) { return (void)fa, 4; }

uint8_t flash_area_erased_val(const struct flash_area *fa) { return (void)fa, 0xFF; }

const struct device *flash_area_get_device(const struct flash_area *fa) { return fa->fa_dev; }

int flash_get_page_info_by_offs(const struct device *dev, off_t offset, struct flash_pages_info *info) {
    (void)dev;
    info->size = FLASH_PAGE_BYTE_COUNT;
    info->index = (uint32_t)offset / FLASH_PAGE_BYTE_COUNT;
    info->start_offset = (off_t)info->index * FLASH_PAGE_BYTE_COUNT;
    return 0;
}

int flash_area_check_int_sha256(const struct flash_area *fa, const struct flash_area_check *fac) {
    uint8_t digest[32];
    sha256 hash;

    sha256_start(&hash);
    for (size_t at = 0; at < fac->clen; at += fac->rblen) {
        size_t left = fac->clen - at, count = left < fac->rblen ? left : fac->rblen;
        int error = flash_area_read(fa, (off_t)(fac->off + at), fac->rbuf, count);

        if (error != 0) {
            return error;
        }
        sha256_update(&hash, fac->rbuf, (uint32_t)count);
    }
    sha256_finish(&hash, digest);
    return memcmp(digest, fac->match, sizeof digest) == 0 ? 0 : -EILSEQ;
}

bool boot_is_img_confirmed(void) {
    mcuboot_trailer trailer = mcuboot_read(SLOT0_ADDRESS);

    return !trailer.has_magic || trailer.is_image_ok;
}

int boot_write_img_confirmed(void) {
    mcuboot_trailer trailer = mcuboot_read(SLOT0_ADDRESS);

    if (trailer.has_magic && !trailer.is_image_ok) {
        mcuboot_write_image_ok(SLOT0_ADDRESS);
    }
    return 0;
}

int mcuboot_swap_type(void) { return (int)mcuboot_next_swap(); }

int boot_request_upgrade(int permanent) {
    if (permanent != BOOT_UPGRADE_TEST) {
        abort();
    }
    if (!mcuboot_read(SLOT1_ADDRESS).has_magic) {
        mcuboot_write_magic(SLOT1_ADDRESS);
    }
    return 0;
}

ssize_t boot_get_area_trailer_status_offset(uint8_t area_id) {
    const struct flash_area *area;
    int error = flash_area_open(area_id, &area);

    return error != 0 ? error : (ssize_t)(area->fa_size - MCUBOOT_TRAILER_BYTE_COUNT);
}
