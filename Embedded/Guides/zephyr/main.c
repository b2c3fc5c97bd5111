/*
 * SPDX-License-Identifier: Apache-2.0
 *
 * A lamp that can be updated: starts Bluetooth and the service, and advertises both.
 */
#include <zephyr/bluetooth/bluetooth.h>
#include <zephyr/bluetooth/gap.h>
#include <zephyr/kernel.h>
#include <zephyr/logging/log.h>

#include "bleota_gatt.h"

LOG_MODULE_REGISTER(lamp);

#define VERSION "1.0.0"

/*
 * Takes images that bleota's signatures say nothing of. MCUboot still runs none that is not
 * signed for it; give `trusts` and `verify` to refuse an image before it is in the flash.
 */
static const struct bleota_gatt_device lamp = {
	.version = VERSION,
	.hardware = "acme/lamp",
	.revision = 3,
	.takes_unsigned = true,
};

static const struct bt_data advertisement[] = {
	BT_DATA_BYTES(BT_DATA_FLAGS, BT_LE_AD_GENERAL | BT_LE_AD_NO_BREDR),
	BT_DATA_BYTES(BT_DATA_UUID128_ALL, BLEOTA_SERVICE_UUID),
};

static const struct bt_data scan_answer[] = {
	BT_DATA(BT_DATA_NAME_COMPLETE, CONFIG_BT_DEVICE_NAME, sizeof(CONFIG_BT_DEVICE_NAME) - 1),
};

/* Stands for the lamp's own test of itself. */
static bool works(void)
{
	return true;
}

static int start(void)
{
	int error = bleota_gatt_start(&lamp);

	if (error == 0) {
		error = bt_enable(NULL);
	}
	if (error == 0) {
		error = bt_le_adv_start(BT_LE_ADV_CONN_FAST_1, advertisement,
					ARRAY_SIZE(advertisement), scan_answer,
					ARRAY_SIZE(scan_answer));
	}
	return error;
}

int main(void)
{
	int error = start();

	/* Without the confirmation, MCUboot goes back to the image before. */
	if (error == 0 && works()) {
		error = bleota_gatt_confirm();
	}
	if (error != 0) {
		LOG_ERR("not started: %d", error);
	}
	return error;
}
