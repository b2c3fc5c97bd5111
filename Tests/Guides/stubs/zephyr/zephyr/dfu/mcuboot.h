/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STUB_MCUBOOT_H
#define STUB_MCUBOOT_H
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define BOOT_SWAP_TYPE_NONE 1
#define BOOT_SWAP_TYPE_TEST 2
#define BOOT_SWAP_TYPE_PERM 3
#define BOOT_SWAP_TYPE_REVERT 4
#define BOOT_SWAP_TYPE_FAIL 5
#define BOOT_UPGRADE_TEST 0
#define BOOT_UPGRADE_PERMANENT 1
#define SWAP_USING_OFFSET_SECTOR_UPDATE_BEGIN 1

bool boot_is_img_confirmed(void);
int boot_write_img_confirmed(void);
int mcuboot_swap_type(void);
int boot_request_upgrade(int permanent);
ssize_t boot_get_area_trailer_status_offset(uint8_t area_id);
#endif
