/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STUB_BLE_HS_H
#define STUB_BLE_HS_H
#include <stddef.h>
#include <stdint.h>
#include "host/ble_uuid.h"

#define BLE_HS_FOREVER INT32_MAX
#define BLE_HS_CONN_HANDLE_NONE 0xffff
#define BLE_HS_ENOMEM 6

#define BLE_ATT_ERR_INVALID_ATTR_VALUE_LEN 0x0d
#define BLE_ATT_ERR_UNLIKELY 0x0e
#define BLE_ATT_ERR_INSUFFICIENT_RES 0x11

struct os_mbuf;

/* A macro in NimBLE. */
uint16_t OS_MBUF_PKTLEN(const struct os_mbuf *om);
int os_mbuf_append(struct os_mbuf *m, const void *data, uint16_t len);
struct os_mbuf *ble_hs_mbuf_from_flat(const void *buf, uint16_t len);
int ble_hs_mbuf_to_flat(const struct os_mbuf *om, void *flat, uint16_t max_len,
                        uint16_t *out_copy_len);

uint16_t ble_att_mtu(uint16_t conn_handle);

#define BLE_GATT_SVC_TYPE_PRIMARY 1
#define BLE_GATT_CHR_F_READ 0x0002
#define BLE_GATT_CHR_F_WRITE_NO_RSP 0x0004
#define BLE_GATT_CHR_F_WRITE 0x0008
#define BLE_GATT_CHR_F_NOTIFY 0x0010
#define BLE_GATT_CHR_F_WRITE_ENC 0x1000
#define BLE_GATT_CHR_F_NOTIFY_INDICATE_ENC 0x8000
#define BLE_GATT_ACCESS_OP_READ_CHR 0
#define BLE_GATT_ACCESS_OP_WRITE_CHR 1

struct ble_gatt_chr_def;
struct ble_gatt_dsc_def;
struct ble_gatt_cpfd;

struct ble_gatt_access_ctxt {
    uint8_t op;
    struct os_mbuf *om;
    union {
        const struct ble_gatt_chr_def *chr;
        const struct ble_gatt_dsc_def *dsc;
    };
};

typedef int ble_gatt_access_fn(uint16_t conn_handle, uint16_t attr_handle,
                               struct ble_gatt_access_ctxt *ctxt, void *arg);
typedef uint16_t ble_gatt_chr_flags;

struct ble_gatt_chr_def {
    const ble_uuid_t *uuid;
    ble_gatt_access_fn *access_cb;
    void *arg;
    struct ble_gatt_dsc_def *descriptors;
    ble_gatt_chr_flags flags;
    uint8_t min_key_size;
    uint16_t *val_handle;
    struct ble_gatt_cpfd *cpfd;
};

struct ble_gatt_svc_def {
    uint8_t type;
    const ble_uuid_t *uuid;
    const struct ble_gatt_svc_def **includes;
    const struct ble_gatt_chr_def *characteristics;
};

int ble_gatts_count_cfg(const struct ble_gatt_svc_def *defs);
int ble_gatts_add_svcs(const struct ble_gatt_svc_def *svcs);
int ble_gatts_notify_custom(uint16_t conn_handle, uint16_t att_handle, struct os_mbuf *om);

typedef void ble_hs_sync_fn(void);

struct ble_store_status_event;
typedef int ble_store_status_fn(struct ble_store_status_event *event, void *arg);

/* Of the members, those that are used. */
struct ble_hs_cfg {
    uint8_t sm_io_cap;
    unsigned sm_bonding : 1;
    unsigned sm_sc : 1;
    uint8_t sm_our_key_dist;
    uint8_t sm_their_key_dist;
    ble_hs_sync_fn *sync_cb;
    ble_store_status_fn *store_status_cb;
};

#define BLE_HS_IO_NO_INPUT_OUTPUT 0x03
#define BLE_SM_PAIR_KEY_DIST_ENC 0x01
#define BLE_SM_PAIR_KEY_DIST_ID 0x02

extern struct ble_hs_cfg ble_hs_cfg;

int ble_hs_id_infer_auto(int privacy, uint8_t *out_addr_type);

#define BLE_HS_ADV_F_DISC_GEN 0x02
#define BLE_HS_ADV_F_BREDR_UNSUP 0x04

struct ble_hs_adv_fields {
    uint8_t flags;
    const ble_uuid128_t *uuids128;
    uint8_t num_uuids128;
    unsigned uuids128_is_complete : 1;
};

#define BLE_GAP_CONN_MODE_UND 2
#define BLE_GAP_DISC_MODE_GEN 2
#define BLE_GAP_EVENT_CONNECT 0
#define BLE_GAP_EVENT_DISCONNECT 1
#define BLE_GAP_EVENT_ADV_COMPLETE 9
#define BLE_GAP_EVENT_NOTIFY_TX 13
#define BLE_GAP_EVENT_SUBSCRIBE 14
#define BLE_GAP_EVENT_MTU 15
#define BLE_GAP_EVENT_REPEAT_PAIRING 17
#define BLE_GAP_REPEAT_PAIRING_RETRY 1

struct ble_gap_adv_params {
    uint8_t conn_mode;
    uint8_t disc_mode;
};

struct ble_gap_event {
    uint8_t type;
    union {
        struct {
            int status;
            uint16_t conn_handle;
        } connect;
        struct {
            uint16_t conn_handle;
        } repeat_pairing;
    };
};

typedef struct {
    uint8_t type;
    uint8_t val[6];
} ble_addr_t;

struct ble_gap_conn_desc {
    ble_addr_t peer_id_addr;
};

int ble_gap_conn_find(uint16_t handle, struct ble_gap_conn_desc *out_desc);
int ble_store_util_delete_peer(const ble_addr_t *peer_id_addr);
int ble_store_util_status_rr(struct ble_store_status_event *event, void *arg);

typedef int ble_gap_event_fn(struct ble_gap_event *event, void *arg);

int ble_gap_adv_set_fields(const struct ble_hs_adv_fields *rsp_fields);
int ble_gap_adv_start(uint8_t own_addr_type, const ble_addr_t *direct_addr, int32_t duration_ms,
                      const struct ble_gap_adv_params *adv_params, ble_gap_event_fn *cb,
                      void *cb_arg);
#endif
