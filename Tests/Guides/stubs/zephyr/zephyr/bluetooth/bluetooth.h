/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STUB_BLUETOOTH_H
#define STUB_BLUETOOTH_H
#include <stddef.h>
#include <stdint.h>

/* Bluetooth's work queue for what takes long, as it is by default. */
#define CONFIG_BT_LONG_WQ 1
#define CONFIG_BT_LONG_WQ_PRIO 10

struct bt_data {
	uint8_t type;
	uint8_t data_len;
	const uint8_t *data;
};

#define BT_DATA(_type, _data, _data_len) \
	{.type = (_type), .data_len = (_data_len), .data = (const uint8_t *)(_data)}
#define BT_DATA_BYTES(_type, ...) \
	BT_DATA(_type, ((uint8_t[]){__VA_ARGS__}), sizeof((uint8_t[]){__VA_ARGS__}))

struct bt_le_adv_param;
extern const struct bt_le_adv_param *const stub_adv_conn_fast_1;
/* Zephyr 4.0 and later. */
#define BT_LE_ADV_CONN_FAST_1 stub_adv_conn_fast_1

typedef void (*bt_ready_cb_t)(int err);

int bt_enable(bt_ready_cb_t cb);
int bt_le_adv_start(const struct bt_le_adv_param *param, const struct bt_data *ad, size_t ad_len,
		    const struct bt_data *sd, size_t sd_len);
#endif
