/*
 * SPDX-License-Identifier: Apache-2.0
 *
 * A lamp that can be updated: starts NimBLE and the service, and advertises it.
 */
#include "bleota_gatt.h"
#include "esp_log.h"
#include "host/ble_hs.h"
#include "nimble/nimble_port.h"
#include "nimble/nimble_port_freertos.h"
#include "nvs_flash.h"
#include "sdkconfig.h"
#include "services/gap/ble_svc_gap.h"
#include "services/gatt/ble_svc_gatt.h"
#include "trust.h"

#define VERSION "1.0.0"

static const char *const log_tag = "lamp";

/* Takes what the key of release_key.h has signed for this hardware, and refuses everything else
 * before it is in the flash. */
static const struct bleota_gatt_device lamp = {
    .version = VERSION,
    .hardware = "acme/lamp",
    .revision = 3,
    .trusts = release_trusts,
    .verify = release_verifies,
};

static void advertise(void);

/* A central that has lost its bond may pair again: the old bond is deleted. */
static int forget(uint16_t connection)
{
    struct ble_gap_conn_desc description;

    if (ble_gap_conn_find(connection, &description) == 0) {
        ble_store_util_delete_peer(&description.peer_id_addr);
    }
    return BLE_GAP_REPEAT_PAIRING_RETRY;
}

/* NimBLE's host task calls this, but bleota's task for BLE_GAP_EVENT_NOTIFY_TX. */
static int on_gap_event(struct ble_gap_event *event, void *argument)
{
    (void)argument;
    if (event->type == BLE_GAP_EVENT_REPEAT_PAIRING) {
        return forget(event->repeat_pairing.conn_handle);
    }
    /* Advertising ends with a connection and does not begin again by itself. */
    if (event->type == BLE_GAP_EVENT_DISCONNECT || event->type == BLE_GAP_EVENT_ADV_COMPLETE ||
        (event->type == BLE_GAP_EVENT_CONNECT && event->connect.status != 0)) {
        advertise();
    }
    return 0;
}

static void advertise(void)
{
    struct ble_hs_adv_fields fields = {0};
    struct ble_gap_adv_params parameters = {0};
    uint8_t address_type;
    int error = ble_hs_id_infer_auto(0, &address_type);

    fields.flags = BLE_HS_ADV_F_DISC_GEN | BLE_HS_ADV_F_BREDR_UNSUP;
    fields.uuids128 = &bleota_gatt_service_uuid;
    fields.num_uuids128 = 1;
    fields.uuids128_is_complete = 1;
    parameters.conn_mode = BLE_GAP_CONN_MODE_UND;
    parameters.disc_mode = BLE_GAP_DISC_MODE_GEN;
    if (error == 0) {
        error = ble_gap_adv_set_fields(&fields);
    }
    if (error == 0) {
        error = ble_gap_adv_start(address_type, NULL, BLE_HS_FOREVER, &parameters, on_gap_event,
                                  NULL);
    }
    if (error != 0) {
        ESP_LOGE(log_tag, "not advertising: %d", error);
    }
}

static void run_host(void *argument)
{
    (void)argument;
    nimble_port_run();
    nimble_port_freertos_deinit();
}

#ifdef CONFIG_BLEOTA_ENCRYPTED_LINK
/* In no header of NimBLE's: keeps bonds, with CONFIG_BT_NIMBLE_NVS_PERSIST in the flash. */
void ble_store_config_init(void);

/* The lamp has neither keyboard nor display, so the link is encrypted but not authenticated. */
static void set_up_pairing(void)
{
    ble_hs_cfg.sm_io_cap = BLE_HS_IO_NO_INPUT_OUTPUT;
    ble_hs_cfg.sm_bonding = 1;
    ble_hs_cfg.sm_sc = 1;
    ble_hs_cfg.sm_our_key_dist = BLE_SM_PAIR_KEY_DIST_ENC | BLE_SM_PAIR_KEY_DIST_ID;
    ble_hs_cfg.sm_their_key_dist = BLE_SM_PAIR_KEY_DIST_ENC | BLE_SM_PAIR_KEY_DIST_ID;
    ble_hs_cfg.store_status_cb = ble_store_util_status_rr;
    ble_store_config_init();
}
#endif

/* What an older ESP-IDF has written there, or what fills it, is erased: bonds, and whatever else
 * the application keeps there. */
static esp_err_t start_nvs(void)
{
    esp_err_t error = nvs_flash_init();

    if (error == ESP_ERR_NVS_NO_FREE_PAGES || error == ESP_ERR_NVS_NEW_VERSION_FOUND) {
        error = nvs_flash_erase();
        if (error == ESP_OK) {
            error = nvs_flash_init();
        }
    }
    return error;
}

static esp_err_t start(void)
{
    esp_err_t error = start_nvs();

    if (error == ESP_OK) {
        error = nimble_port_init();
    }
    if (error != ESP_OK) {
        return error;
    }
    ble_hs_cfg.sync_cb = advertise;
#ifdef CONFIG_BLEOTA_ENCRYPTED_LINK
    set_up_pairing();
#endif
    ble_svc_gap_init();
    ble_svc_gatt_init();
    error = bleota_gatt_start(&lamp);
    if (error == ESP_OK) {
        nimble_port_freertos_init(run_host);
    }
    return error;
}

/* Stands for the lamp's own test of itself. */
static bool works(void)
{
    return true;
}

void app_main(void)
{
    esp_err_t error = start();

    /* Without the confirmation, the boot loader goes back to the image before. */
    if (error == ESP_OK && works()) {
        error = bleota_gatt_confirm();
    }
    if (error != ESP_OK) {
        ESP_LOGE(log_tag, "not started: %d", error);
    }
}
