/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STUB_UUID_H
#define STUB_UUID_H
#include <stdint.h>

enum {
	BT_UUID_TYPE_16,
	BT_UUID_TYPE_32,
	BT_UUID_TYPE_128,
};

struct bt_uuid {
	uint8_t type;
};

struct bt_uuid_16 {
	struct bt_uuid uuid;
	uint16_t val;
};

struct bt_uuid_128 {
	struct bt_uuid uuid;
	uint8_t val[16];
};

#define STUB_UUID_BYTE(number, index) ((uint8_t)((uint64_t)(number) >> (8 * (index))))
/* The 16 bytes of a UUID as they are sent, the last one of its text first. */
#define BT_UUID_128_ENCODE(w32, w1, w2, w3, w48)                                          \
	STUB_UUID_BYTE(w48, 0), STUB_UUID_BYTE(w48, 1), STUB_UUID_BYTE(w48, 2),           \
		STUB_UUID_BYTE(w48, 3), STUB_UUID_BYTE(w48, 4), STUB_UUID_BYTE(w48, 5),   \
		STUB_UUID_BYTE(w3, 0), STUB_UUID_BYTE(w3, 1), STUB_UUID_BYTE(w2, 0),      \
		STUB_UUID_BYTE(w2, 1), STUB_UUID_BYTE(w1, 0), STUB_UUID_BYTE(w1, 1),      \
		STUB_UUID_BYTE(w32, 0), STUB_UUID_BYTE(w32, 1), STUB_UUID_BYTE(w32, 2),   \
		STUB_UUID_BYTE(w32, 3)
#define BT_UUID_DECLARE_16(value) \
	((const struct bt_uuid *)&(const struct bt_uuid_16){{BT_UUID_TYPE_16}, (value)})
#define BT_UUID_DECLARE_128(...) \
	((const struct bt_uuid *)&(const struct bt_uuid_128){{BT_UUID_TYPE_128}, {__VA_ARGS__}})

#define BT_UUID_GATT_PRIMARY BT_UUID_DECLARE_16(0x2800)
#define BT_UUID_GATT_CHRC BT_UUID_DECLARE_16(0x2803)
#define BT_UUID_GATT_CCC BT_UUID_DECLARE_16(0x2902)
#endif
