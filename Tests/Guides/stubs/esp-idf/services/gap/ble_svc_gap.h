/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STUB_BLE_SVC_GAP_H
#define STUB_BLE_SVC_GAP_H
void ble_svc_gap_init(void);
#endif
