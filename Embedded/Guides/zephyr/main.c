/*
 * SPDX-License-Identifier: Apache-2.0
 *
 * A lamp that can be updated: starts Bluetooth and the service, and advertises both.
 */
#include <zephyr/bluetooth/bluetooth.h>
#include <zephyr/bluetooth/conn.h>
#include <zephyr/bluetooth/gap.h>
#include <zephyr/kernel.h>
#include <zephyr/logging/log.h>
#include <zephyr/settings/settings.h>

#include "bleota_gatt.h"
#include "trust.h"

LOG_MODULE_REGISTER(lamp);

#define VERSION "1.0.0"

/*
 * Takes what the key of release_key.h has signed for this hardware, and refuses everything else
 * before it is in the flash. MCUboot runs only what is signed for it, besides.
 */
static const struct bleota_gatt_device lamp = {
	.version = VERSION,
	.hardware = "acme/lamp",
	.revision = 3,
	.trusts = release_trusts,
	.verify = release_verifies,
};

static const struct bt_data advertisement[] = {
	BT_DATA_BYTES(BT_DATA_FLAGS, BT_LE_AD_GENERAL | BT_LE_AD_NO_BREDR),
	BT_DATA_BYTES(BT_DATA_UUID128_ALL, BLEOTA_SERVICE_UUID),
};

static const struct bt_data scan_answer[] = {
	BT_DATA(BT_DATA_NAME_COMPLETE, CONFIG_BT_DEVICE_NAME, sizeof(CONFIG_BT_DEVICE_NAME) - 1),
};

static int advertise(void)
{
	return bt_le_adv_start(BT_LE_ADV_CONN_FAST_1, advertisement, ARRAY_SIZE(advertisement),
			       scan_answer, ARRAY_SIZE(scan_answer));
}

static void advertise_again(struct k_work *work)
{
	int error = advertise();

	ARG_UNUSED(work);
	if (error != 0) {
		LOG_ERR("not advertising: %d", error);
	}
}

static K_WORK_DEFINE(advertising, advertise_again);

/*
 * Advertising ends with a connection, and from Zephyr 4.0 on it does not begin again by itself.
 * It can't as long as somebody uses the connection's object, so `disconnected` is too early. This
 * callback may call nothing of Bluetooth.
 */
static void recycled(void)
{
	k_work_submit(&advertising);
}

BT_CONN_CB_DEFINE(advertising_callbacks) = {
	.recycled = recycled,
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
	/* Brings back the bonds. Without it a device with CONFIG_BT_SETTINGS has no address. */
	if (error == 0 && IS_ENABLED(CONFIG_BT_SETTINGS)) {
		error = settings_load();
	}
	if (error == 0) {
		error = advertise();
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
