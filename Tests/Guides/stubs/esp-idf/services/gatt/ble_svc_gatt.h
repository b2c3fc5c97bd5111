/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STUB_BLE_SVC_GATT_H
#define STUB_BLE_SVC_GATT_H
void ble_svc_gatt_init(void);
#endif
