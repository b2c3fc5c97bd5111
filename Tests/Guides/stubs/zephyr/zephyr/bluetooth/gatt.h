/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STUB_GATT_H
#define STUB_GATT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <zephyr/bluetooth/conn.h>
#include <zephyr/bluetooth/uuid.h>
#include <zephyr/sys/util.h>

enum bt_gatt_perm {
	BT_GATT_PERM_NONE = 0,
	BT_GATT_PERM_READ = BIT(0),
	BT_GATT_PERM_WRITE = BIT(1),
	BT_GATT_PERM_READ_ENCRYPT = BIT(2),
	BT_GATT_PERM_WRITE_ENCRYPT = BIT(3),
};

#define BT_GATT_ERR(_att_err) (-(_att_err))
#define BT_GATT_CHRC_READ 0x02
#define BT_GATT_CHRC_WRITE_WITHOUT_RESP 0x04
#define BT_GATT_CHRC_WRITE 0x08
#define BT_GATT_CHRC_NOTIFY 0x10

struct bt_gatt_attr;

typedef ssize_t (*bt_gatt_attr_read_func_t)(struct bt_conn *conn, const struct bt_gatt_attr *attr,
					    void *buf, uint16_t len, uint16_t offset);
typedef ssize_t (*bt_gatt_attr_write_func_t)(struct bt_conn *conn, const struct bt_gatt_attr *attr,
					     const void *buf, uint16_t len, uint16_t offset,
					     uint8_t flags);

struct bt_gatt_attr {
	const struct bt_uuid *uuid;
	bt_gatt_attr_read_func_t read;
	bt_gatt_attr_write_func_t write;
	void *user_data;
	uint16_t handle;
	uint16_t perm;
};

struct bt_gatt_service_static {
	const struct bt_gatt_attr *attrs;
	size_t attr_count;
};

ssize_t bt_gatt_attr_read(struct bt_conn *conn, const struct bt_gatt_attr *attr, void *buf,
			  uint16_t buf_len, uint16_t offset, const void *value,
			  uint16_t value_len);
int bt_gatt_notify(struct bt_conn *conn, const struct bt_gatt_attr *attr, const void *data,
		   uint16_t len);
uint16_t bt_gatt_get_mtu(struct bt_conn *conn);

struct bt_gatt_chrc {
	const struct bt_uuid *uuid;
	uint16_t value_handle;
	uint8_t properties;
};

/* The attributes are as many as with Zephyr's macros and in the same order. */
#define BT_GATT_ATTRIBUTE(_uuid, _perm, _read, _write, _user_data)                                \
	{.uuid = (_uuid), .read = (_read), .write = (_write), .user_data = (_user_data),          \
	 .perm = (_perm)}
#define BT_GATT_PRIMARY_SERVICE(_service)                                                         \
	BT_GATT_ATTRIBUTE(BT_UUID_GATT_PRIMARY, BT_GATT_PERM_READ, NULL, NULL, (void *)(_service))
#define BT_GATT_CHARACTERISTIC(_uuid, _props, _perm, _read, _write, _user_data)                   \
	BT_GATT_ATTRIBUTE(BT_UUID_GATT_CHRC, BT_GATT_PERM_READ, NULL, NULL,                       \
			  ((void *)&(const struct bt_gatt_chrc){(_uuid), 0, (_props)})),          \
		BT_GATT_ATTRIBUTE(_uuid, _perm, _read, _write, _user_data)
#define BT_GATT_CCC(_changed, _perm)                                                              \
	BT_GATT_ATTRIBUTE(BT_UUID_GATT_CCC, _perm, NULL, NULL,                                    \
			  (void *)(uintptr_t)(void (*)(const struct bt_gatt_attr *, uint16_t))    \
			  (_changed))
/* Zephyr's linker script collects services; on a host a section of pointers does. */
#define BT_GATT_SERVICE_DEFINE(_name, ...)                                                        \
	static const struct bt_gatt_attr attr_##_name[] = {__VA_ARGS__};                          \
	static const struct bt_gatt_service_static _name = {attr_##_name,                         \
							    ARRAY_SIZE(attr_##_name)};            \
	static const struct bt_gatt_service_static *const stub_of_##_name                         \
		__attribute__((section("stub_gatt_service"), used)) = &_name
#endif
