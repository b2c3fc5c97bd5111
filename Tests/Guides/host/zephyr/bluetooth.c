/// Zephyr's Bluetooth host on this machine: its rules, in front of the stack at the line's other end.
///
/// There is one connection (CONFIG_BT_MAX_CONN is 1 by default). Its object is in use until nobody
/// has a reference to it any more, and as long as it is, no connectable advertising begins. As of
/// Zephyr 4.0 advertising ends with a connection, and nobody begins it again but the application.

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include <zephyr/bluetooth/att.h>
#include <zephyr/bluetooth/bluetooth.h>
#include <zephyr/bluetooth/gatt.h>
#include <zephyr/settings/settings.h>

#include "line.h"

enum {
    ATT_MTU_DEFAULT = 23,
    /// CONFIG_BT_ATT_TX_COUNT: how many notifications wait for the controller at most.
    NOTIFICATION_COUNT_MAX = 3,
    ADVERTISEMENT_BYTE_COUNT_MAX = 31,
    REMOTE_USER_TERMINATED = 0x13,
};

struct bt_conn {
    int reference_count;
    bool is_connected;
    bool is_subscribed;
    uint16_t mtu;
};

struct bt_le_adv_param {
    int unused;
};

static const struct bt_le_adv_param fast;
const struct bt_le_adv_param *const stub_adv_conn_fast_1 = &fast;

extern const struct bt_conn_cb *const __start_stub_conn_cb[];
extern const struct bt_conn_cb *const __stop_stub_conn_cb[];
extern const struct bt_gatt_service_static *const __start_stub_gatt_service[];
extern const struct bt_gatt_service_static *const __stop_stub_gatt_service[];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct bt_conn connection;
static int notification_count;
static bool is_enabled;
/// With CONFIG_BT_SETTINGS the device has no address, and does not advertise, before that.
static bool are_settings_loaded;
static bool is_advertising;

// Every callback of the application.
#define EACH_CALLBACK(name)                                                                        \
    for (const struct bt_conn_cb *const *name = __start_stub_conn_cb; name < __stop_stub_conn_cb; \
         name++)

struct bt_conn *bt_conn_ref(struct bt_conn *conn) {
    pthread_mutex_lock(&lock);
    if (conn->reference_count++ == 0) {
        abort();
    }
    pthread_mutex_unlock(&lock);
    return conn;
}

void bt_conn_unref(struct bt_conn *conn) {
    int left;

    pthread_mutex_lock(&lock);
    left = --conn->reference_count;
    pthread_mutex_unlock(&lock);
    if (left < 0) {
        abort();
    }
    if (left == 0) {
        EACH_CALLBACK(callbacks) {
            if ((*callbacks)->recycled != NULL) {
                (*callbacks)->recycled();
            }
        }
    }
}

// ---- Attributes

/// The guides have one service.
static const struct bt_gatt_service_static *service(void) {
    if (__stop_stub_gatt_service - __start_stub_gatt_service != 1) {
        abort();
    }
    return *__start_stub_gatt_service;
}

static bool has_uuid_16(const struct bt_gatt_attr *attr, uint16_t value) {
    return attr->uuid->type == BT_UUID_TYPE_16 && ((const struct bt_uuid_16 *)attr->uuid)->val == value;
}

static bool is_declaration(const struct bt_gatt_attr *attr) { return has_uuid_16(attr, 0x2803); }

static uint8_t properties_of(const struct bt_gatt_attr *declaration) {
    return ((const struct bt_gatt_chrc *)declaration->user_data)->properties;
}

/// A permission to read or write that there is, is as its property says; an attribute without it
/// would answer with an error.
static void require_permissions(const struct bt_gatt_attr *declaration) {
    const struct bt_gatt_attr *value = declaration + 1;
    uint8_t properties = properties_of(declaration);
    bool is_read = (properties & BT_GATT_CHRC_READ) != 0;
    bool is_written = (properties & (BT_GATT_CHRC_WRITE | BT_GATT_CHRC_WRITE_WITHOUT_RESP)) != 0;
    bool may_read = (value->perm & (BT_GATT_PERM_READ | BT_GATT_PERM_READ_ENCRYPT)) != 0;
    bool may_write = (value->perm & (BT_GATT_PERM_WRITE | BT_GATT_PERM_WRITE_ENCRYPT)) != 0;

    if (is_read != may_read || is_written != may_write || is_read != (value->read != NULL) ||
        is_written != (value->write != NULL)) {
        fprintf(stderr, "bluetooth: a characteristic's permissions are not its properties\n");
        abort();
    }
}

static void tell_characteristics(void) {
    const struct bt_gatt_service_static *all = service();

    for (size_t i = 0; i < all->attr_count; i++) {
        const struct bt_gatt_attr *attr = &all->attrs[i];
        line_characteristic told;

        if (!is_declaration(attr)) {
            continue;
        }
        require_permissions(attr);
        told.properties = properties_of(attr);
        told.encryption = (attr[1].perm & BT_GATT_PERM_WRITE_ENCRYPT) != 0 ? LINE_ENCRYPTED_WRITE : 0;
        memcpy(told.uuid, ((const struct bt_uuid_128 *)attr[1].uuid)->val, sizeof told.uuid);
        // Zephyr makes no such descriptor by itself: without it nobody is notified.
        if ((told.properties & BT_GATT_CHRC_NOTIFY) != 0 &&
            (i + 2 >= all->attr_count || !has_uuid_16(&attr[2], 0x2902))) {
            abort();
        }
        if ((told.properties & BT_GATT_CHRC_NOTIFY) != 0 &&
            (attr[2].perm & BT_GATT_PERM_WRITE_ENCRYPT) != 0) {
            told.encryption |= LINE_ENCRYPTED_SUBSCRIPTION;
        }
        line_send(LINE_CHARACTERISTIC, (uint16_t)(i + 1), &told, sizeof told);
    }
}

ssize_t bt_gatt_attr_read(struct bt_conn *conn, const struct bt_gatt_attr *attr, void *buf,
    uint16_t buf_len, uint16_t offset, const void *value, uint16_t value_len) {
    uint16_t count;

    (void)conn, (void)attr;
    if (offset > value_len) {
        return BT_GATT_ERR(BT_ATT_ERR_INVALID_OFFSET);
    }
    count = value_len - offset < buf_len ? (uint16_t)(value_len - offset) : buf_len;
    memcpy(buf, (const uint8_t *)value + offset, count);
    return count;
}

uint16_t bt_gatt_get_mtu(struct bt_conn *conn) { return conn->mtu; }

int bt_gatt_notify(struct bt_conn *conn, const struct bt_gatt_attr *attr, const void *data,
    uint16_t len) {
    const struct bt_gatt_attr *declaration = is_declaration(attr) ? attr : attr - 1;
    int error = 0;

    if (!is_declaration(declaration) || (properties_of(declaration) & BT_GATT_CHRC_NOTIFY) == 0) {
        return -EINVAL;
    }
    pthread_mutex_lock(&lock);
    // Zephyr waits for a buffer, except in threads of its own. The loss of the link frees them.
    while (conn->is_connected && notification_count == NOTIFICATION_COUNT_MAX) {
        pthread_cond_wait(&changed, &lock);
    }
    if (!conn->is_connected) {
        error = -ENOTCONN;
    } else if (!conn->is_subscribed) {
        error = -EINVAL;
    } else if (len + 3 > conn->mtu) {
        error = -ENOMEM;
    } else {
        notification_count++;
    }
    pthread_mutex_unlock(&lock);
    if (error == 0) {
        line_send(LINE_NOTIFY, (uint16_t)(declaration + 1 - service()->attrs), data, len);
    }
    return error;
}

// ---- What the stack says, in the thread that receives

static void connected(void) {
    pthread_mutex_lock(&lock);
    if (connection.reference_count != 0 || !is_advertising) {
        abort();
    }
    connection = (struct bt_conn) { .reference_count = 1, .is_connected = true, .mtu = ATT_MTU_DEFAULT };
    is_advertising = false;
    notification_count = 0;
    pthread_mutex_unlock(&lock);
    EACH_CALLBACK(callbacks) {
        if ((*callbacks)->connected != NULL) {
            (*callbacks)->connected(&connection, 0);
        }
    }
}

static void disconnected(void) {
    pthread_mutex_lock(&lock);
    connection.is_connected = false;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    EACH_CALLBACK(callbacks) {
        if ((*callbacks)->disconnected != NULL) {
            (*callbacks)->disconnected(&connection, REMOTE_USER_TERMINATED);
        }
    }
    bt_conn_unref(&connection);
}

static void answer_read(uint16_t index) {
    const struct bt_gatt_attr *attr = &service()->attrs[index];
    uint8_t bytes[LINE_BYTE_COUNT_MAX];
    ssize_t result = attr->read(&connection, attr, bytes, sizeof bytes, 0);

    line_send(LINE_ANSWER, result < 0 ? (uint16_t)-result : 0, bytes, result < 0 ? 0 : (uint32_t)result);
}

static void answer_write(uint16_t index, const void *bytes, uint32_t byte_count) {
    const struct bt_gatt_attr *attr = &service()->attrs[index];
    ssize_t result = attr->write(&connection, attr, bytes, (uint16_t)byte_count, 0, 0);

    line_send(LINE_ANSWER, result < 0 ? (uint16_t)-result : 0, NULL, 0);
}

static void take(const line_message *message, uint32_t byte_count) {
    switch (message->kind) {
    case LINE_CONNECTED: connected(); break;
    case LINE_DISCONNECTED: disconnected(); break;
    case LINE_READ: answer_read(message->number); break;
    case LINE_WRITE: answer_write(message->number, message->bytes, byte_count); break;
    default:
        pthread_mutex_lock(&lock);
        switch (message->kind) {
        case LINE_ENABLED: is_enabled = true; break;
        case LINE_MTU: connection.mtu = message->number; break;
        case LINE_SUBSCRIBED: connection.is_subscribed = message->number != 0; break;
        case LINE_NOTIFIED: notification_count--; break;
        // Zephyr lets a central with a bond as weak as the new one not pair again by itself
        // (CONFIG_BT_SMP_ALLOW_UNAUTH_OVERWRITE).
        case LINE_REPEATED_PAIRING: break;
        default: abort();
        }
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&lock);
    }
}

static void *receive(void *argument) {
    for (;;) {
        line_message message;
        uint32_t byte_count = line_receive(&message);

        take(&message, byte_count);
    }
    return argument;
}

// ---- For the application

int bt_enable(bt_ready_cb_t cb) {
    const struct bt_gatt_attr *primary = &service()->attrs[0];
    uint16_t options = (IS_ENABLED(CONFIG_BT_SMP) ? LINE_PAIRS : 0) |
        (IS_ENABLED(CONFIG_BT_SETTINGS) ? LINE_KEEPS_BONDS : 0);
    pthread_t thread;

    if (cb != NULL || is_enabled || !has_uuid_16(primary, 0x2800)) {
        abort();
    }
    if (pthread_create(&thread, NULL, receive, NULL) != 0) {
        abort();
    }
    tell_characteristics();
    line_send(LINE_ENABLE, options, ((const struct bt_uuid_128 *)primary->user_data)->val, 16);
    pthread_mutex_lock(&lock);
    while (!is_enabled) {
        pthread_cond_wait(&changed, &lock);
    }
    pthread_mutex_unlock(&lock);
    return 0;
}

int settings_load(void) {
    are_settings_loaded = is_enabled;
    return 0;
}

static size_t encode(uint8_t *bytes, const struct bt_data *data, size_t count) {
    size_t length = 0;

    for (size_t i = 0; i < count; i++) {
        if (length + 2 + data[i].data_len > ADVERTISEMENT_BYTE_COUNT_MAX) {
            return SIZE_MAX;
        }
        bytes[length] = (uint8_t)(data[i].data_len + 1);
        bytes[length + 1] = data[i].type;
        memcpy(bytes + length + 2, data[i].data, data[i].data_len);
        length += 2u + data[i].data_len;
    }
    return length;
}

int bt_le_adv_start(const struct bt_le_adv_param *param, const struct bt_data *ad, size_t ad_len,
    const struct bt_data *sd, size_t sd_len) {
    uint8_t bytes[2 * ADVERTISEMENT_BYTE_COUNT_MAX];
    size_t length = encode(bytes, ad, ad_len), answer_length;
    int error = 0;

    if (length == SIZE_MAX) {
        return -EINVAL;
    }
    answer_length = encode(bytes + length, sd, sd_len);
    if (answer_length == SIZE_MAX || param != &fast) {
        return -EINVAL;
    }
    pthread_mutex_lock(&lock);
    if (!is_enabled || (IS_ENABLED(CONFIG_BT_SETTINGS) && !are_settings_loaded)) {
        error = -EAGAIN;
    } else if (is_advertising) {
        error = -EALREADY;
    } else if (connection.reference_count > 0) {
        error = -ENOMEM;
    } else {
        is_advertising = true;
    }
    pthread_mutex_unlock(&lock);
    if (error == 0) {
        line_send(LINE_ADVERTISE, (uint16_t)length, bytes, (uint32_t)(length + answer_length));
    }
    return error;
}
