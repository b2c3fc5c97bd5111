#ifndef MCUBOOT_H
#define MCUBOOT_H

/// A model of MCUboot with two slots that it swaps: the trailers that say what is to be done, and
/// the swap. It is as good as one that no power cut ever meets: the swap happens all at once.

#include <stdbool.h>
#include <stdint.h>

enum {
    FLASH_BYTE_COUNT = 0x100000,
    /// Of Zephyr's devicetree for the nRF52840 DK.
    SLOT0_ADDRESS = 0xc000,
    SLOT1_ADDRESS = 0x82000,
    SLOT_BYTE_COUNT = 0x76000,
    /// From copy_done on: two flags of 8 bytes, and the magic number of 16.
    MCUBOOT_TRAILER_BYTE_COUNT = 32,
};

/// As BOOT_SWAP_TYPE_….
typedef enum mcuboot_swap {
    MCUBOOT_NONE = 1,
    MCUBOOT_TEST = 2,
    MCUBOOT_REVERT = 4,
} mcuboot_swap;

typedef struct mcuboot_trailer {
    bool has_magic;
    bool is_image_ok;
    bool is_copy_done;
} mcuboot_trailer;

mcuboot_trailer mcuboot_read(uint32_t slot_address);
void mcuboot_write_magic(uint32_t slot_address);
void mcuboot_write_image_ok(uint32_t slot_address);

/// What the boot loader would do now.
mcuboot_swap mcuboot_next_swap(void);

/// Does it.
void mcuboot_run(void);

#endif
