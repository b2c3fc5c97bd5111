/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STUB_BLE_UUID_H
#define STUB_BLE_UUID_H
#include <stdint.h>

enum {
    BLE_UUID_TYPE_16 = 16,
    BLE_UUID_TYPE_32 = 32,
    BLE_UUID_TYPE_128 = 128,
};

typedef struct {
    uint8_t type;
} ble_uuid_t;

typedef struct {
    ble_uuid_t u;
    uint8_t value[16];
} ble_uuid128_t;

#define BLE_UUID128_INIT(...) {.u = {.type = BLE_UUID_TYPE_128}, .value = {__VA_ARGS__}}
#endif
