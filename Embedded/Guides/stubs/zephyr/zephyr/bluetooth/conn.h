/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STUB_CONN_H
#define STUB_CONN_H
#include <stdint.h>

struct bt_conn;

struct bt_conn *bt_conn_ref(struct bt_conn *conn);
void bt_conn_unref(struct bt_conn *conn);

struct bt_conn_cb {
	void (*connected)(struct bt_conn *conn, uint8_t err);
	void (*disconnected)(struct bt_conn *conn, uint8_t reason);
};

/* Zephyr's linker script collects these. */
#define BT_CONN_CB_DEFINE(name) const struct bt_conn_cb bt_conn_cb_##name
#endif
