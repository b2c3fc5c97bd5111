/*
 * SPDX-License-Identifier: Apache-2.0
 *
 * The GATT service of bleota (spec/bleota.md, section 10) for NimBLE on ESP-IDF.
 *
 * Two tasks meet here. NimBLE's host task runs the access callbacks: they copy what was written
 * into a queue of fixed length. bleota's own task takes the frames out and is the only one that
 * calls the library, which is not made for two. So the host goes on while a page of flash is
 * erased, and no call of the library meets another.
 *
 * When the queue is full a frame is dropped, as if the radio had lost it; the sender sends it
 * again.
 */
#include "bleota_gatt.h"

#include <stdatomic.h>
#include <string.h>

#include "bleota_partitions.h"
#include "bleota_receiver.h"
#include "esp_log.h"
#include "esp_ota_ops.h"
#include "esp_random.h"
#include "esp_system.h"
#include "esp_timer.h"
#include "freertos/FreeRTOS.h"
#include "freertos/queue.h"
#include "freertos/task.h"
#include "host/ble_hs.h"
#include "sdkconfig.h"

#define PROTOCOL_VERSION 1
#define VERSION_BYTE_COUNT_MAX 18
/* An ATT write and a notification have an opcode and a handle before their value. */
#define ATT_HEADER_BYTE_COUNT 3
/* ATT_MTU 247, which fills link-layer packets of 251 bytes. */
#define FRAME_BYTE_COUNT 244
/* Two blocks of 4,096 bytes are 35 chunks of 240 bytes, and no sender has more of them on the
 * way at that ATT_MTU to a receiver with the least memory; the rest is for control frames. */
#define FRAME_COUNT 40
/* What bleota_receiver_byte_count asks for blocks of 4,096 bytes and a slot of up to 2 MiB. More
 * is used for larger manifests, and for up to four blocks on their way, which take as many more
 * frames. */
#define MEMORY_BYTE_COUNT 9216
/* The library takes less than 2 KiB; the rest is for the flash driver, the log and `verify`. */
#define STACK_BYTE_COUNT 8192
/* Below the tasks of NimBLE. */
#define TASK_PRIORITY 5

static const char *const log_tag = "bleota";

enum frame_kind {
    FRAME_CONTROL,
    FRAME_DATA,
    /* No frame of a link: bleota_gatt_confirm was called. */
    FRAME_CONFIRM,
};

struct frame {
    uint16_t byte_count;
    uint16_t connection;
    enum frame_kind kind;
    uint8_t bytes[FRAME_BYTE_COUNT];
};

static QueueHandle_t arrived;
/* The central that wrote Control last; what is notified goes to it. A handle that is no longer
 * connected does no harm: NimBLE says so when it is used. */
static atomic_uint_least16_t peer = BLE_HS_CONN_HANDLE_NONE;
static uint16_t control_handle;

/* Set once, before the task begins; only the task uses what follows it. */
static const struct bleota_gatt_device *device;

static _Alignas(8) uint8_t memory[MEMORY_BYTE_COUNT];
static bleota_setup setup;
static bleota_receiver *receiver;
static uint16_t receiver_connection;
static uint32_t receiver_control_byte_count;
/* What the hooks noted during a call of the library, to be seen to after it. */
static bool has_opened;
static bool has_verified;
static bool is_restart_due;

/* ---- NimBLE's host task ------------------------------------------------------------------ */

static int read_info(struct os_mbuf *value)
{
    uint8_t info[1 + VERSION_BYTE_COUNT_MAX] = {PROTOCOL_VERSION};
    size_t version_byte_count = strlen(device->version);

    if (version_byte_count > VERSION_BYTE_COUNT_MAX) {
        version_byte_count = VERSION_BYTE_COUNT_MAX;
    }
    memcpy(&info[1], device->version, version_byte_count);
    return os_mbuf_append(value, info, (uint16_t)(1 + version_byte_count)) == 0
               ? 0
               : BLE_ATT_ERR_INSUFFICIENT_RES;
}

/* Never waits: NimBLE's host task has other connections to serve. */
static int enqueue(enum frame_kind kind, uint16_t connection, const struct os_mbuf *value)
{
    /* The host task is the only one that comes here. A frame is too long for its stack. */
    static struct frame frame;
    uint16_t byte_count = OS_MBUF_PKTLEN(value);

    if (byte_count == 0 || byte_count > FRAME_BYTE_COUNT) {
        return BLE_ATT_ERR_INVALID_ATTR_VALUE_LEN;
    }
    frame.kind = kind;
    frame.connection = connection;
    if (ble_hs_mbuf_to_flat(value, frame.bytes, FRAME_BYTE_COUNT, &frame.byte_count) != 0) {
        return BLE_ATT_ERR_UNLIKELY;
    }
    return xQueueSend(arrived, &frame, 0) == pdTRUE ? 0 : BLE_ATT_ERR_INSUFFICIENT_RES;
}

static int access_info(uint16_t connection, uint16_t handle, struct ble_gatt_access_ctxt *access,
                       void *argument)
{
    (void)connection;
    (void)handle;
    (void)argument;
    return access->op == BLE_GATT_ACCESS_OP_READ_CHR ? read_info(access->om)
                                                     : BLE_ATT_ERR_UNLIKELY;
}

static int access_control(uint16_t connection, uint16_t handle,
                          struct ble_gatt_access_ctxt *access, void *argument)
{
    (void)handle;
    (void)argument;
    if (access->op != BLE_GATT_ACCESS_OP_WRITE_CHR) {
        return BLE_ATT_ERR_UNLIKELY;
    }
    atomic_store(&peer, connection);
    return enqueue(FRAME_CONTROL, connection, access->om);
}

/* Of both characteristics for data. ATT answers a write request with what this returns. */
static int access_data(uint16_t connection, uint16_t handle, struct ble_gatt_access_ctxt *access,
                       void *argument)
{
    int error;

    (void)handle;
    (void)argument;
    if (access->op != BLE_GATT_ACCESS_OP_WRITE_CHR) {
        return BLE_ATT_ERR_UNLIKELY;
    }
    error = enqueue(FRAME_DATA, connection, access->om);
    /* A frame that finds no room is lost, and sent again: no reason to fail the request. */
    return error == BLE_ATT_ERR_INSUFFICIENT_RES ? 0 : error;
}

/* The bytes of a UUID of bleota, the last one of its text first; they differ in one. */
#define BLEOTA_UUID(number)                                                                     \
    BLE_UUID128_INIT(0x11, 0x2d, 0x0f, 0x9d, 0xc4, 0xe2, 0x6a, 0x9b, 0x0b, 0x4f, 0x1e, 0x5c,   \
                     (number), 0x00, 0x3d, 0x7a)

const ble_uuid128_t bleota_gatt_service_uuid = BLEOTA_UUID(0x01);
static const ble_uuid128_t info_uuid = BLEOTA_UUID(0x02);
static const ble_uuid128_t control_uuid = BLEOTA_UUID(0x03);
static const ble_uuid128_t data_uuid = BLEOTA_UUID(0x04);
static const ble_uuid128_t data_with_response_uuid = BLEOTA_UUID(0x05);

/* Subscriptions are protected as well: `bleota push` without a pairing then says that it is needed.
 * A refused write alone looks like a device that does not respond. Where NimBLE lacks the flag, it
 * either leaves subscriptions open or, from 1.10 on, protects them as it protects writes. */
#ifndef CONFIG_BLEOTA_ENCRYPTED_LINK
#define CONTROL_ENCRYPTION 0
#elif defined(BLE_GATT_CHR_F_NOTIFY_INDICATE_ENC)
#define CONTROL_ENCRYPTION (BLE_GATT_CHR_F_WRITE_ENC | BLE_GATT_CHR_F_NOTIFY_INDICATE_ENC)
#else
#define CONTROL_ENCRYPTION BLE_GATT_CHR_F_WRITE_ENC
#endif

/* DataOut is left out: it is for a peripheral that sends images. */
static const struct ble_gatt_chr_def characteristics[] = {
    {.uuid = &info_uuid.u, .access_cb = access_info, .flags = BLE_GATT_CHR_F_READ},
    {.uuid = &control_uuid.u,
     .access_cb = access_control,
     .flags = BLE_GATT_CHR_F_WRITE | BLE_GATT_CHR_F_NOTIFY | CONTROL_ENCRYPTION,
     .val_handle = &control_handle},
    {.uuid = &data_uuid.u, .access_cb = access_data, .flags = BLE_GATT_CHR_F_WRITE_NO_RSP},
    {.uuid = &data_with_response_uuid.u, .access_cb = access_data, .flags = BLE_GATT_CHR_F_WRITE},
    {0},
};

static const struct ble_gatt_svc_def services[] = {
    {.type = BLE_GATT_SVC_TYPE_PRIMARY,
     .uuid = &bleota_gatt_service_uuid.u,
     .characteristics = characteristics},
    {0},
};

/* ---- bleota's task: the hooks ------------------------------------------------------------ */

/* Without memory for a notification it is asked again, after 10 ms at most. A frame that can't be
 * sent at all is dropped: without a link nobody waits for it, and otherwise the sender asks. */
static bool send(void *context, const void *bytes, uint32_t byte_count)
{
    uint16_t connection = atomic_load(&peer);
    struct os_mbuf *value;
    int error;

    (void)context;
    if (byte_count + ATT_HEADER_BYTE_COUNT > ble_att_mtu(connection)) {
        /* The MTU of what is not connected is 0. */
        return true;
    }
    value = ble_hs_mbuf_from_flat(bytes, (uint16_t)byte_count);
    /* Takes the value, whatever it returns. */
    error = value == NULL ? BLE_HS_ENOMEM
                          : ble_gatts_notify_custom(connection, control_handle, value);
    if (error == BLE_HS_ENOMEM) {
        return false;
    }
    if (error != 0) {
        ESP_LOGW(log_tag, "a control frame was dropped: %d", error);
    }
    return true;
}

static uint64_t now(void *context)
{
    (void)context;
    return (uint64_t)esp_timer_get_time();
}

static void log_event(void *context, bleota_event event, uint32_t number)
{
    (void)context;
    ESP_LOGI(log_tag, "%s %lu", bleota_event_name(event), (unsigned long)number);
    if (event == BLEOTA_EVENT_ENDED) {
        ESP_LOGI(log_tag, "the session ended: %s", bleota_reason_name(number));
    }
    has_opened |= event == BLEOTA_EVENT_OPENED;
    has_verified |= event == BLEOTA_EVENT_ENDED && number == BLEOTA_REASON_VERIFIED;
}

/* ---- bleota's task: the receiver --------------------------------------------------------- */

static void check(bleota_error error, const char *what)
{
    if (error != BLEOTA_OK) {
        ESP_LOGE(log_tag, "%s: %s", what, bleota_error_name(error));
    }
}

static void tell_running(void)
{
    bleota_running running;
    uint8_t tag[8];

    bleota_partitions_running(&setup, &running, tag);
    check(bleota_receiver_set_running(receiver, running, tag), "what runs");
}

/* How much of a control frame a link carries. */
static uint32_t control_byte_count(uint16_t connection)
{
    uint32_t att_mtu = ble_att_mtu(connection);

    if (att_mtu < BLEOTA_CONTROL_BYTE_COUNT_MIN + ATT_HEADER_BYTE_COUNT) {
        return BLEOTA_CONTROL_BYTE_COUNT_MIN;
    }
    if (att_mtu > BLEOTA_CONTROL_BYTE_COUNT_MAX + ATT_HEADER_BYTE_COUNT) {
        return BLEOTA_CONTROL_BYTE_COUNT_MAX;
    }
    return att_mtu - ATT_HEADER_BYTE_COUNT;
}

/* Begins anew for each link, because the ATT_MTU is one of the link. Nothing is lost by it: what
 * arrived is in the flash, and a sender opens a new session over a new link. */
static void start_receiver(uint16_t connection)
{
    bleota_error error;

    setup.control_byte_count_max = control_byte_count(connection);
    setup.first_epoch = (uint8_t)esp_random();
    receiver_connection = connection;
    receiver_control_byte_count = setup.control_byte_count_max;
    error = bleota_receiver_start(memory, sizeof(memory), &setup, &receiver);
    if (error != BLEOTA_OK) {
        receiver = NULL;
        check(error, "start");
        return;
    }
    tell_running();
}

/* Whether the receiver there is was made for a link. The handle of a link that is gone may be
 * given to another; then only the ATT_MTU matters. */
static bool is_receiver_for(uint16_t connection)
{
    return receiver != NULL && connection == receiver_connection &&
           control_byte_count(connection) == receiver_control_byte_count;
}

static void confirm(void)
{
    esp_err_t error = esp_ota_mark_app_valid_cancel_rollback();

    if (error != ESP_OK) {
        ESP_LOGE(log_tag, "the image was not confirmed: %d", error);
    }
    if (receiver != NULL) {
        tell_running();
    }
}

static void take(const struct frame *frame)
{
    if (frame->kind == FRAME_CONFIRM) {
        confirm();
        return;
    }
    if (frame->kind == FRAME_CONTROL && !is_receiver_for(frame->connection)) {
        start_receiver(frame->connection);
    }
    if (receiver == NULL) {
        return;
    }
    if (frame->kind == FRAME_CONTROL) {
        check(bleota_receiver_take_control(receiver, frame->bytes, frame->byte_count),
              "control frame");
    } else {
        check(bleota_receiver_take_data(receiver, frame->bytes, frame->byte_count), "data frame");
    }
}

static void install(void)
{
    esp_err_t error = bleota_partitions_install(&setup, &is_restart_due);

    if (error != ESP_OK) {
        ESP_LOGE(log_tag, "the image can't be installed: %d", error);
    }
    tell_running();
}

/* What the hooks noted, now that the receiver may be called again. */
static void follow_up(void)
{
    /* The slot has the image that the boot loader goes back to unless the one on trial is
     * confirmed: until then nothing may be written over it. */
    if (has_opened && bleota_partitions_on_trial()) {
        check(bleota_receiver_give_up(receiver, BLEOTA_REASON_NOT_NOW), "give up");
    }
    if (has_verified) {
        install();
    }
    has_opened = false;
    has_verified = false;
}

/* Restarts once the sender has its RESULT, or has not fetched it in 10 seconds. */
static void restart_if_due(void)
{
    bleota_status status;

    if (is_restart_due && bleota_receiver_status(receiver, &status) == BLEOTA_OK &&
        status.phase != BLEOTA_PHASE_FINISHED) {
        ESP_LOGI(log_tag, "restarting into the new image");
        esp_restart();
    }
}

/* Does what is due; returns for how long nothing else is. */
static uint32_t run(void)
{
    uint32_t wait = UINT32_MAX;

    if (receiver == NULL) {
        return wait;
    }
    check(bleota_receiver_run(receiver, &wait), "run");
    if (has_opened || has_verified) {
        follow_up();
        wait = 0;
    }
    restart_if_due();
    return wait;
}

/* Rounded up: a wait of less than a tick must not keep the processor busy. */
static TickType_t ticks(uint32_t microseconds)
{
    const uint32_t tick = 1000000 / configTICK_RATE_HZ;

    if (microseconds == UINT32_MAX) {
        return portMAX_DELAY;
    }
    return microseconds / tick + (microseconds % tick > 0);
}

static void serve(void *argument)
{
    static struct frame frame;
    uint32_t wait = UINT32_MAX;

    (void)argument;
    for (;;) {
        BaseType_t is_taken = xQueueReceive(arrived, &frame, ticks(wait));

        /* At most what fits the queue, so that a flood does not keep the flash waiting. */
        for (int i = 0; is_taken == pdTRUE && i < FRAME_COUNT; i++) {
            take(&frame);
            is_taken = i + 1 < FRAME_COUNT ? xQueueReceive(arrived, &frame, 0) : pdFALSE;
        }
        wait = run();
    }
}

/* ---- For the application ----------------------------------------------------------------- */

static esp_err_t set_up(void)
{
    esp_err_t error = bleota_partitions_open(&setup);

    if (error != ESP_OK) {
        return error;
    }
    setup.hooks.context = device->context;
    setup.hooks.send = send;
    setup.hooks.now = now;
    setup.hooks.log = log_event;
    setup.hooks.trusts = device->trusts;
    setup.hooks.verify = device->verify;
    setup.takes_unsigned = device->takes_unsigned;
    setup.hardware = device->hardware;
    setup.revision = device->revision;
    if (bleota_receiver_byte_count(&setup) > sizeof(memory)) {
        ESP_LOGE(log_tag, "MEMORY_BYTE_COUNT has to be %lu",
                 (unsigned long)bleota_receiver_byte_count(&setup));
        return ESP_ERR_NO_MEM;
    }
    return ESP_OK;
}

esp_err_t bleota_gatt_start(const struct bleota_gatt_device *of_device)
{
    esp_err_t error;

    device = of_device;
    error = set_up();
    if (error != ESP_OK) {
        return error;
    }
    arrived = xQueueCreate(FRAME_COUNT, sizeof(struct frame));
    if (arrived == NULL) {
        return ESP_ERR_NO_MEM;
    }
    if (ble_gatts_count_cfg(services) != 0 || ble_gatts_add_svcs(services) != 0) {
        return ESP_FAIL;
    }
    return xTaskCreate(serve, "bleota", STACK_BYTE_COUNT, NULL, TASK_PRIORITY, NULL) == pdPASS
               ? ESP_OK
               : ESP_ERR_NO_MEM;
}

esp_err_t bleota_gatt_confirm(void)
{
    const struct frame frame = {.kind = FRAME_CONFIRM};

    return xQueueSend(arrived, &frame, 0) == pdTRUE ? ESP_OK : ESP_ERR_TIMEOUT;
}
