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
	void (*recycled)(void);
};

/* Zephyr's linker script collects these; on a host a section of pointers does. */
#define BT_CONN_CB_DEFINE(name)                                                                  \
	static const struct bt_conn_cb bt_conn_cb_##name;                                        \
	static const struct bt_conn_cb *const stub_of_##name                                     \
		__attribute__((section("stub_conn_cb"), used)) = &bt_conn_cb_##name;             \
	static const struct bt_conn_cb bt_conn_cb_##name
#endif
