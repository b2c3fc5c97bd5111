/*
 * SPDX-License-Identifier: Apache-2.0
 *
 * The slot and the state of bleota in Zephyr's flash map, and MCUboot with two slots that it
 * swaps.
 */
#include "bleota_slots.h"

#include <errno.h>
#include <string.h>

#include <zephyr/dfu/mcuboot.h>
#include <zephyr/drivers/flash.h>
#include <zephyr/storage/flash_map.h>

#define PRIMARY_ID FIXED_PARTITION_ID(slot0_partition)
#define SECONDARY_ID FIXED_PARTITION_ID(slot1_partition)
#define STATE_ID FIXED_PARTITION_ID(bleota_partition)

/*
 * The addresses that the receiver sees. They are not those of the flash, because slot 1 and
 * the state may be on different chips. They are in the record and must stay the same in all
 * versions of the firmware.
 */
#define SLOT_ADDRESS 0x00000000u
#define STATE_ADDRESS 0x80000000u

#define RECORD_PAGE_COUNT 2u

static const struct flash_area *slot;
static const struct flash_area *state;
static uint32_t page_byte_count;
/* Where the image begins in slot 1, and where MCUboot's trailer does, in whole pages. */
static uint32_t image_offset;
static uint32_t trailer_offset;

/* The area that has these bytes, and where in it they begin; null if none has. */
static const struct flash_area *area_of(uint32_t address, uint32_t byte_count, off_t *offset)
{
	const struct flash_area *area = address < STATE_ADDRESS ? slot : state;
	uint32_t begin = address & ~STATE_ADDRESS;

	if (begin > area->fa_size || byte_count > area->fa_size - begin) {
		return NULL;
	}
	*offset = (off_t)begin;
	return area;
}

static int32_t read(void *context, uint32_t address, void *bytes, uint32_t byte_count)
{
	off_t offset;
	const struct flash_area *area = area_of(address, byte_count, &offset);

	(void)context;
	return area == NULL ? -EINVAL : flash_area_read(area, offset, bytes, byte_count);
}

static int32_t write(void *context, uint32_t address, const void *bytes, uint32_t byte_count)
{
	off_t offset;
	const struct flash_area *area = area_of(address, byte_count, &offset);

	(void)context;
	return area == NULL ? -EINVAL : flash_area_write(area, offset, bytes, byte_count);
}

static int32_t erase(void *context, uint32_t address)
{
	off_t offset;
	const struct flash_area *area = area_of(address, page_byte_count, &offset);

	(void)context;
	return area == NULL ? -EINVAL : flash_area_erase(area, offset, page_byte_count);
}

/* The page size of an area, for all of which it has to be the same. */
static int page_size(const struct flash_area *area, uint32_t *byte_count)
{
	struct flash_pages_info first, last;
	const struct device *flash = flash_area_get_device(area);
	int error;

	if (flash == NULL) {
		return -ENODEV;
	}
	error = flash_get_page_info_by_offs(flash, area->fa_off, &first);
	if (error == 0) {
		error = flash_get_page_info_by_offs(
			flash, area->fa_off + (off_t)area->fa_size - 1, &last);
	}
	if (error == 0 && first.size != last.size) {
		error = -ENOTSUP;
	}
	if (error == 0) {
		*byte_count = first.size;
	}
	return error;
}

static bool share_pages(const struct flash_area *one, const struct flash_area *other)
{
	return one->fa_dev == other->fa_dev &&
	       one->fa_off < other->fa_off + (off_t)other->fa_size &&
	       other->fa_off < one->fa_off + (off_t)one->fa_size;
}

/*
 * The settings have the storage partition, and app.overlay takes a part of it. On a board with
 * another map of the flash, that overlay can name the same pages twice; then each would erase what
 * the other keeps.
 */
static int check_storage(void)
{
	int error = 0;
#if FIXED_PARTITION_EXISTS(storage_partition)
	const struct flash_area *storage;

	error = flash_area_open(FIXED_PARTITION_ID(storage_partition), &storage);
	if (error == 0) {
		error = share_pages(state, storage) ? -ENOTSUP : 0;
		flash_area_close(storage);
	}
#endif
	return error;
}

static int open_areas(void)
{
	uint32_t state_page_byte_count;
	int error = flash_area_open(SECONDARY_ID, &slot);

	if (error == 0) {
		error = flash_area_open(STATE_ID, &state);
	}
	if (error == 0) {
		error = check_storage();
	}
	if (error == 0) {
		error = page_size(slot, &page_byte_count);
	}
	if (error == 0) {
		error = page_size(state, &state_page_byte_count);
	}
	/* A receiver knows one page size, and that erased flash reads 0xFF. */
	if (error == 0 && (state_page_byte_count != page_byte_count ||
			   flash_area_erased_val(slot) != 0xFF ||
			   flash_area_erased_val(state) != 0xFF)) {
		error = -ENOTSUP;
	}
	if (error == 0 && state->fa_size < (RECORD_PAGE_COUNT + 1) * page_byte_count) {
		error = -ENOSPC;
	}
	return error;
}

/* MCUboot keeps its notes at the end of the slot; no image may reach them. */
static int find_image_room(void)
{
	ssize_t status_offset = boot_get_area_trailer_status_offset(SECONDARY_ID);

	if (status_offset < 0) {
		return (int)status_offset;
	}
	trailer_offset = (uint32_t)status_offset & ~(page_byte_count - 1);
#ifdef CONFIG_MCUBOOT_BOOTLOADER_MODE_SWAP_USING_OFFSET
	image_offset = SWAP_USING_OFFSET_SECTOR_UPDATE_BEGIN * page_byte_count;
#else
	image_offset = 0;
#endif
	return image_offset < trailer_offset ? 0 : -ENOSPC;
}

int bleota_slots_open(bleota_setup *setup)
{
	uint32_t align, manifest_byte_count;
	int error = open_areas();

	if (error == 0) {
		error = find_image_room();
	}
	if (error != 0) {
		return error;
	}
	align = flash_area_align(slot);
	if (flash_area_align(state) > align) {
		align = flash_area_align(state);
	}
	/* All pages of the state but the last two, which have the record. */
	manifest_byte_count = state->fa_size - RECORD_PAGE_COUNT * page_byte_count;
	setup->flash = (bleota_flash){
		.page_byte_count = page_byte_count,
		.write_byte_count = align,
		.slot_address = SLOT_ADDRESS + image_offset,
		.slot_byte_count = trailer_offset - image_offset,
		.manifest_address = STATE_ADDRESS,
		.manifest_byte_count = manifest_byte_count,
		.record_address = STATE_ADDRESS + manifest_byte_count,
	};
	setup->hooks.read = read;
	setup->hooks.write = write;
	setup->hooks.erase = erase;
	return 0;
}

/* Whether an area has the image of the record at an offset. 0, or a negative errno. */
static int holds_image(uint8_t area_id, uint32_t offset, const bleota_record *record)
{
	static uint8_t buffer[256];
	const struct flash_area *area;
	const struct flash_area_check check = {
		.match = record->image_sha256,
		.clen = record->image_byte_count,
		.off = offset,
		.rbuf = buffer,
		.rblen = sizeof(buffer),
	};
	int error = flash_area_open(area_id, &area);

	if (error == 0) {
		error = flash_area_check_int_sha256(area, &check);
		flash_area_close(area);
	}
	return error;
}

/*
 * A record says what was verified in slot 1. Whether that is what runs, the bytes say:
 * MCUboot swaps the slots and knows nothing of the record.
 */
void bleota_slots_running(const bleota_setup *setup, bleota_running *running, uint8_t tag[8])
{
	bleota_record record;
	int swap_type;

	*running = BLEOTA_RUNNING_UNKNOWN;
	memset(tag, 0, 8);
	if (bleota_read_record(setup, &record) != BLEOTA_OK || record.image_byte_count == 0) {
		return;
	}
	if (holds_image(PRIMARY_ID, 0, &record) == 0) {
		*running = bleota_slots_on_trial() ? BLEOTA_RUNNING_ON_TRIAL
						   : BLEOTA_RUNNING_CONFIRMED;
		memcpy(tag, record.image_sha256, 8);
		return;
	}
	swap_type = mcuboot_swap_type();
	*running = swap_type == BOOT_SWAP_TYPE_TEST || swap_type == BOOT_SWAP_TYPE_PERM
			   ? BLEOTA_RUNNING_INSTALLING
			   : BLEOTA_RUNNING_FAILED;
}

bool bleota_slots_on_trial(void)
{
	return !boot_is_img_confirmed();
}

int bleota_slots_confirm(void)
{
	return boot_write_img_confirmed();
}

int bleota_slots_install(const bleota_setup *setup)
{
	bleota_record record;
	int error;

	if (bleota_read_record(setup, &record) != BLEOTA_OK || record.image_byte_count == 0) {
		return -ENOENT;
	}
	if (holds_image(PRIMARY_ID, 0, &record) == 0) {
		return 0;
	}
	if (bleota_slots_on_trial()) {
		return -EBUSY;
	}
	/* After a swap, slot 1 has another image than the record says. */
	error = holds_image(SECONDARY_ID, image_offset, &record);
	if (error != 0) {
		return error;
	}
	/* What is left of an older trailer would make MCUboot refuse the request. */
	error = flash_area_erase(slot, (off_t)trailer_offset, slot->fa_size - trailer_offset);
	if (error == 0) {
		error = boot_request_upgrade(BOOT_UPGRADE_TEST);
	}
	return error == 0 ? 1 : error;
}
