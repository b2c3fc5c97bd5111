/*
 * SPDX-License-Identifier: Apache-2.0
 *
 * The bleota service of an ESP32-C3, -C6 or -H2 with NimBLE, updated between two OTA partitions.
 */
#ifndef BLEOTA_GATT_H
#define BLEOTA_GATT_H

#include <stdbool.h>
#include <stdint.h>

#include "esp_err.h"
#include "host/ble_uuid.h"

/* The UUID of the service, for the advertisement. */
extern const ble_uuid128_t bleota_gatt_service_uuid;

/* What the device is. It and what it points to stay as they are; `version` is never null. */
struct bleota_gatt_device {
    /* The version of the running firmware; its first 18 bytes are read as Info. */
    const char *version;
    /* As in bleota_setup. */
    const char *hardware;
    uint16_t revision;
    bool takes_unsigned;
    /* As in bleota_hooks; both null: no key is trusted. They run in bleota's task. */
    bool (*trusts)(void *context, const uint8_t *key_id, uint32_t algorithm);
    bool (*verify)(void *context, const uint8_t *key_id, uint32_t algorithm,
                   const uint8_t *message, const uint8_t *signature,
                   uint32_t signature_byte_count);
    void *context;
};

/* Adds the service and begins to take updates. Call it once, after nimble_port_init() and
 * before the host's task begins. */
esp_err_t bleota_gatt_start(const struct bleota_gatt_device *device);

/* Says that the running firmware works, so that the boot loader keeps it. May be called from any
 * task. ESP_ERR_TIMEOUT if too many frames wait: call it again later. */
esp_err_t bleota_gatt_confirm(void);

#endif
