/* SPDX-License-Identifier: Apache-2.0 */
/* What NimBLE has and declares in no header, so that its users do. */
#ifndef STUB_UNDECLARED_H
#define STUB_UNDECLARED_H
void ble_store_config_init(void);
#endif
