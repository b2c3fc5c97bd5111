/*
 * SPDX-License-Identifier: Apache-2.0
 *
 * The bleota service of a Zephyr peripheral that is updated through MCUboot.
 */
#ifndef BLEOTA_GATT_H
#define BLEOTA_GATT_H

#include <stdbool.h>
#include <stdint.h>

#include <zephyr/bluetooth/uuid.h>

/* The UUID of the service, for the advertisement. */
#define BLEOTA_SERVICE_UUID \
	BT_UUID_128_ENCODE(0x7a3d0001, 0x5c1e, 0x4f0b, 0x9b6a, 0xe2c49d0f2d11)

/* What the device is. It and what it points to stay as they are. */
struct bleota_gatt_device {
	/* The version of the running firmware; its first 18 bytes are read as Info. */
	const char *version;
	/* As in bleota_setup. */
	const char *hardware;
	uint16_t revision;
	bool takes_unsigned;
	/*
	 * As in bleota_hooks; both null: no key is trusted. They run in bleota's thread, `verify`
	 * with the scheduler locked.
	 */
	bool (*trusts)(void *context, const uint8_t *key_id, uint32_t algorithm);
	bool (*verify)(void *context, const uint8_t *key_id, uint32_t algorithm,
		       const uint8_t *message, const uint8_t *signature,
		       uint32_t signature_byte_count);
	void *context;
};

/*
 * Begins to take updates. Call it once, from any thread, before or after bt_enable().
 * Returns 0, or a negative errno if the flash is not as this needs it.
 */
int bleota_gatt_start(const struct bleota_gatt_device *device);

/*
 * Says that the running firmware works, so that MCUboot keeps it. May be called from any
 * thread. Returns 0, or -EAGAIN if too many frames wait: call it again later.
 */
int bleota_gatt_confirm(void);

#endif
