/// NimBLE's host on this machine: its rules, in front of the stack at the line's other end. One link
/// at a time; advertising ends with a connection, and nobody begins it again but the application.

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "freertos/task.h"
#include "host/ble_hs.h"
#include "line.h"
#include "nimble/nimble_port.h"
#include "nimble/nimble_port_freertos.h"
#include "nvs_flash.h"
#include "services/gap/ble_svc_gap.h"
#include "services/gatt/ble_svc_gatt.h"
#include "undeclared.h"

enum {
    ATT_MTU_DEFAULT = 23,
    /// MSYS_1_BLOCK_COUNT of ESP-IDF for the C3; of the two pools, NimBLE takes its packets from this one.
    MBUF_COUNT_MAX = 12,
    /// A notification takes one for its value, and one for the header of the packet.
    MBUFS_PER_NOTIFICATION = 2,
    /// Each so many-th time, there is none: as when other packets have them all.
    SHORTAGE_INTERVAL = 10,
    ADVERTISEMENT_BYTE_COUNT_MAX = 31,
    /// Of BLE_HS_…: no such link, not now.
    NOT_CONNECTED = 7,
    ALREADY = 2,
    TOO_LONG = 4,
};

struct os_mbuf {
    uint16_t length;
    uint8_t bytes[LINE_BYTE_COUNT_MAX];
};

struct ble_hs_cfg ble_hs_cfg;

static const struct ble_gatt_svc_def *service;
static atomic_int mbuf_count;
/// Of the link; BLE_HS_CONN_HANDLE_NONE without one.
static atomic_int link_handle = BLE_HS_CONN_HANDLE_NONE;
static atomic_int link_mtu;
static bool is_advertising, is_nvs_open, is_store_open;
static ble_gap_event_fn *gap_callback;
static void *gap_argument;

// ---- Buffers

/// Takes one from the pool, if there is one. `attempt_count` is of those who ask for the same reason.
static bool take_mbuf(atomic_int *attempt_count) {
    if ((atomic_fetch_add(attempt_count, 1) + 1) % SHORTAGE_INTERVAL == 0) {
        return false;
    }
    if (atomic_fetch_add(&mbuf_count, 1) >= MBUF_COUNT_MAX) {
        atomic_fetch_sub(&mbuf_count, 1);
        return false;
    }
    return true;
}

struct os_mbuf *ble_hs_mbuf_from_flat(const void *buf, uint16_t len) {
    static atomic_int attempt_count;
    struct os_mbuf *om;

    if (len > LINE_BYTE_COUNT_MAX || !take_mbuf(&attempt_count)) {
        return NULL;
    }
    om = malloc(sizeof *om);
    om->length = len;
    memcpy(om->bytes, buf, len);
    return om;
}

uint16_t OS_MBUF_PKTLEN(const struct os_mbuf *om) { return om->length; }

int os_mbuf_append(struct os_mbuf *m, const void *data, uint16_t len) {
    if (len > LINE_BYTE_COUNT_MAX - m->length) {
        return BLE_HS_ENOMEM;
    }
    memcpy(m->bytes + m->length, data, len);
    m->length = (uint16_t)(m->length + len);
    return 0;
}

int ble_hs_mbuf_to_flat(const struct os_mbuf *om, void *flat, uint16_t max_len, uint16_t *out_copy_len) {
    uint16_t length = om->length < max_len ? om->length : max_len;

    memcpy(flat, om->bytes, length);
    *out_copy_len = length;
    return length < om->length ? TOO_LONG : 0;
}

// ---- Attributes

int ble_gatts_count_cfg(const struct ble_gatt_svc_def *defs) { return defs[0].type == 0; }

int ble_gatts_add_svcs(const struct ble_gatt_svc_def *svcs) {
    // The guide has one service, and adds it once.
    if (service != NULL || svcs[1].type != 0) {
        abort();
    }
    service = svcs;
    return 0;
}

static const ble_uuid128_t *uuid_of(const ble_uuid_t *uuid) {
    if (uuid->type != BLE_UUID_TYPE_128) {
        abort();
    }
    return (const ble_uuid128_t *)uuid;
}

static void tell_characteristics(void) {
    const struct ble_gatt_chr_def *characteristic = service->characteristics;

    for (uint16_t i = 0; characteristic[i].uuid != NULL; i++) {
        line_characteristic told = { .properties = (uint8_t)characteristic[i].flags };

        memcpy(told.uuid, uuid_of(characteristic[i].uuid)->value, sizeof told.uuid);
        if ((characteristic[i].flags & BLE_GATT_CHR_F_WRITE_ENC) != 0) {
            told.encryption |= LINE_ENCRYPTED_WRITE;
        }
        if ((characteristic[i].flags & BLE_GATT_CHR_F_NOTIFY_INDICATE_ENC) != 0) {
            told.encryption |= LINE_ENCRYPTED_SUBSCRIPTION;
        }
        if (characteristic[i].val_handle != NULL) {
            *characteristic[i].val_handle = (uint16_t)(i + 1);
        }
        line_send(LINE_CHARACTERISTIC, (uint16_t)(i + 1), &told, sizeof told);
    }
}

/// Has the guide's callback do its part, and answers.
static void access(uint8_t operation, uint16_t handle, const void *bytes, uint32_t byte_count) {
    const struct ble_gatt_chr_def *characteristic = &service->characteristics[handle - 1];
    struct os_mbuf value = { .length = (uint16_t)byte_count };
    struct ble_gatt_access_ctxt context = { .op = operation, .om = &value };
    int error;

    if (byte_count > 0) {
        memcpy(value.bytes, bytes, byte_count);
    }
    context.chr = characteristic;
    error = characteristic->access_cb((uint16_t)link_handle, handle, &context, characteristic->arg);
    line_send(LINE_ANSWER, (uint16_t)error, value.bytes,
        error == 0 && operation == BLE_GATT_ACCESS_OP_READ_CHR ? value.length : 0);
}

uint16_t ble_att_mtu(uint16_t conn_handle) {
    return link_handle == conn_handle ? (uint16_t)link_mtu : 0;
}

static int tell(struct ble_gap_event event) { return gap_callback(&event, gap_argument); }

/// Takes the value, whatever it returns, and tells the application's callback, in the caller's task.
int ble_gatts_notify_custom(uint16_t conn_handle, uint16_t att_handle, struct os_mbuf *om) {
    static atomic_int attempt_count;
    bool is_connected = link_handle == conn_handle;
    int error = is_connected ? 0 : NOT_CONNECTED;

    if (error == 0 && !take_mbuf(&attempt_count)) {
        error = BLE_HS_ENOMEM;
    }
    if (error == 0) {
        line_send(LINE_NOTIFY, att_handle, om->bytes, om->length);
    } else {
        atomic_fetch_sub(&mbuf_count, 1);
    }
    free(om);
    if (is_connected) {
        tell((struct ble_gap_event) { .type = BLE_GAP_EVENT_NOTIFY_TX });
    }
    return error;
}

// ---- Advertising and links

void ble_svc_gap_init(void) {}

void ble_svc_gatt_init(void) {}

int ble_hs_id_infer_auto(int privacy, uint8_t *out_addr_type) { return *out_addr_type = 0, privacy; }

static uint8_t advertisement[ADVERTISEMENT_BYTE_COUNT_MAX];
static uint8_t advertisement_byte_count;

int ble_gap_adv_set_fields(const struct ble_hs_adv_fields *adv_fields) {
    uint8_t *at = advertisement;

    if (adv_fields->num_uuids128 != 1 || adv_fields->uuids128_is_complete != 1) {
        abort();
    }
    // The types of section 1.3 and 1.1 of the Core Specification's supplement.
    memcpy(at, (uint8_t[]) { 2, 0x01, adv_fields->flags, 17, 0x07 }, 5);
    memcpy(at + 5, adv_fields->uuids128->value, 16);
    advertisement_byte_count = 21;
    return 0;
}

int ble_gap_adv_start(uint8_t own_addr_type, const ble_addr_t *direct_addr, int32_t duration_ms,
    const struct ble_gap_adv_params *adv_params, ble_gap_event_fn *cb, void *cb_arg) {
    if (own_addr_type != 0 || direct_addr != NULL || duration_ms != BLE_HS_FOREVER ||
        adv_params->conn_mode != BLE_GAP_CONN_MODE_UND || adv_params->disc_mode != BLE_GAP_DISC_MODE_GEN) {
        abort();
    }
    if (is_advertising) {
        return ALREADY;
    }
    is_advertising = true;
    gap_callback = cb;
    gap_argument = cb_arg;
    line_send(LINE_ADVERTISE, advertisement_byte_count, advertisement, advertisement_byte_count);
    return 0;
}

static void connected(uint16_t handle) {
    is_advertising = false;
    link_mtu = ATT_MTU_DEFAULT;
    link_handle = handle;
    tell((struct ble_gap_event) { .type = BLE_GAP_EVENT_CONNECT, .connect = { 0, handle } });
}

static void take_mtu(uint16_t mtu) {
    link_mtu = mtu;
    tell((struct ble_gap_event) { .type = BLE_GAP_EVENT_MTU });
}

static void disconnected(void) {
    link_handle = BLE_HS_CONN_HANDLE_NONE;
    tell((struct ble_gap_event) { .type = BLE_GAP_EVENT_DISCONNECT });
}

// ---- Bonds

esp_err_t nvs_flash_init(void) { return is_nvs_open = true, ESP_OK; }

esp_err_t nvs_flash_erase(void) { return ESP_FAIL; }

void ble_store_config_init(void) {
    // Reads what it kept.
    if (!is_nvs_open) {
        abort();
    }
    is_store_open = true;
}

int ble_store_util_status_rr(struct ble_store_status_event *event, void *arg) {
    (void)event, (void)arg;
    return 0;
}

int ble_gap_conn_find(uint16_t handle, struct ble_gap_conn_desc *out_desc) {
    memset(out_desc, 0, sizeof *out_desc);
    return link_handle == handle ? 0 : NOT_CONNECTED;
}

int ble_store_util_delete_peer(const ble_addr_t *peer_id_addr) {
    (void)peer_id_addr;
    line_send(LINE_DELETE_BOND, 0, NULL, 0);
    return 0;
}

static void ask_for_repeated_pairing(uint16_t handle) {
    tell((struct ble_gap_event) {
        .type = BLE_GAP_EVENT_REPEAT_PAIRING, .repeat_pairing = { .conn_handle = handle } });
}

// ---- The host's task

esp_err_t nimble_port_init(void) { return is_nvs_open ? ESP_OK : ESP_FAIL; }

void nimble_port_freertos_deinit(void) {}

void nimble_port_freertos_init(TaskFunction_t host_task_fn) {
    if (xTaskCreate(host_task_fn, "nimble", 4096, NULL, 21, NULL) != pdPASS) {
        abort();
    }
}

/// NimBLE pairs whether or not the application thought of it; a bond is kept if it has a store.
static uint16_t options(void) {
    bool keeps_bonds = is_store_open && ble_hs_cfg.sm_bonding;

#ifndef CONFIG_BT_NIMBLE_NVS_PERSIST
    keeps_bonds = false;
#endif
    return (uint16_t)(LINE_PAIRS | (keeps_bonds ? LINE_KEEPS_BONDS : 0));
}

void nimble_port_run(void) {
    tell_characteristics();
    line_send(LINE_ENABLE, options(), uuid_of(service->uuid)->value, 16);
    for (;;) {
        line_message message;
        uint32_t byte_count = line_receive(&message);

        switch (message.kind) {
        case LINE_ENABLED: ble_hs_cfg.sync_cb(); break;
        case LINE_CONNECTED: connected(message.number); break;
        case LINE_DISCONNECTED: disconnected(); break;
        case LINE_MTU: take_mtu(message.number); break;
        // NimBLE notifies whoever it is told to, subscribed or not.
        case LINE_SUBSCRIBED: tell((struct ble_gap_event) { .type = BLE_GAP_EVENT_SUBSCRIBE }); break;
        case LINE_READ: access(BLE_GATT_ACCESS_OP_READ_CHR, message.number, NULL, 0); break;
        case LINE_WRITE:
            access(BLE_GATT_ACCESS_OP_WRITE_CHR, message.number, message.bytes, byte_count);
            break;
        case LINE_NOTIFIED: atomic_fetch_sub(&mbuf_count, MBUFS_PER_NOTIFICATION); break;
        case LINE_REPEATED_PAIRING: ask_for_repeated_pairing(message.number); break;
        default: abort();
        }
    }
}
