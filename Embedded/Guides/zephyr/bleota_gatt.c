/*
 * SPDX-License-Identifier: Apache-2.0
 *
 * The GATT service of bleota (spec/bleota.md, section 10) for a Zephyr peripheral.
 *
 * Two threads meet here. Bluetooth's receiving thread runs the callbacks: they copy what was
 * written into a frame of a fixed supply and put it into a queue. bleota's own thread takes the
 * frames out and is the only one that calls the library, which is not made for two. So Bluetooth
 * goes on while a page of flash is erased, and no call of the library meets another.
 *
 * The supply bounds the queue. When it is empty a frame is dropped, as if the radio had lost
 * it; the sender sends it again.
 */
#include "bleota_gatt.h"

#include <errno.h>
#include <string.h>

#include <zephyr/bluetooth/att.h>
#include <zephyr/bluetooth/bluetooth.h>
#include <zephyr/bluetooth/conn.h>
#include <zephyr/bluetooth/gatt.h>
#include <zephyr/kernel.h>
#include <zephyr/logging/log.h>
#include <zephyr/random/random.h>
#include <zephyr/sys/reboot.h>

#include "bleota_receiver.h"
#include "bleota_slots.h"

LOG_MODULE_REGISTER(bleota);

#define PROTOCOL_VERSION 1
#define VERSION_BYTE_COUNT_MAX 18
/* An ATT write and a notification have an opcode and a handle before their value. */
#define ATT_HEADER_BYTE_COUNT 3
#define FRAME_BYTE_COUNT \
	MIN(CONFIG_BT_L2CAP_TX_MTU - ATT_HEADER_BYTE_COUNT, BLEOTA_FRAME_BYTE_COUNT_MAX)

/* See verify(). Bluetooth's work queue for what takes long, such as a key, is preemptible. */
#ifdef CONFIG_BT_LONG_WQ
BUILD_ASSERT(CONFIG_BLEOTA_PRIORITY > CONFIG_BT_LONG_WQ_PRIO,
	     "bleota's thread needs a lower priority than Bluetooth's threads");
#endif

enum frame_kind {
	FRAME_CONTROL,
	FRAME_DATA,
	/* No frame of a link: bleota_gatt_confirm was called. */
	FRAME_CONFIRM,
};

struct frame {
	/* The kernel's, while the frame is in the queue. */
	void *next;
	uint16_t byte_count;
	uint8_t kind;
	/* The link that brought it; a new number for each central. */
	uint8_t link;
	uint8_t bytes[FRAME_BYTE_COUNT];
};

K_MEM_SLAB_DEFINE_STATIC(frames, sizeof(struct frame), CONFIG_BLEOTA_FRAME_COUNT,
			 __alignof__(struct frame));
static K_FIFO_DEFINE(arrived);
static K_THREAD_STACK_DEFINE(stack, CONFIG_BLEOTA_STACK_SIZE);
static struct k_thread thread;

/* The central that wrote Control last; what is notified goes to it. */
static K_MUTEX_DEFINE(peer_lock);
static struct bt_conn *peer;
static uint8_t peer_link;

/* Set once, before the thread begins; only the thread uses what follows it. */
static const struct bleota_gatt_device *device;

static uint64_t memory[CONFIG_BLEOTA_MEMORY_BYTE_COUNT / sizeof(uint64_t)];
static bleota_setup setup;
static bleota_receiver *receiver;
static uint8_t receiver_link;
/* What STATUS says. To find it out takes a hash of slot 0, so it is kept from link to link. */
static bleota_running running;
static uint8_t running_tag[8];
static bool is_running_known;
/* What the hooks noted during a call of the library, to be seen to after it. */
static bool has_opened;
static bool has_verified;
static bool is_restart_due;

/* ---- Bluetooth's thread ------------------------------------------------------------------ */

static ssize_t read_info(struct bt_conn *conn, const struct bt_gatt_attr *attr, void *bytes,
			 uint16_t byte_count, uint16_t offset)
{
	uint8_t info[1 + VERSION_BYTE_COUNT_MAX] = {PROTOCOL_VERSION};
	size_t version_byte_count = 0;

	if (device != NULL && device->version != NULL) {
		version_byte_count = MIN(strlen(device->version), VERSION_BYTE_COUNT_MAX);
		memcpy(&info[1], device->version, version_byte_count);
	}
	return bt_gatt_attr_read(conn, attr, bytes, byte_count, offset, info,
				 (uint16_t)(1 + version_byte_count));
}

/* Makes a central the one that is notified; returns the number of its link. */
static uint8_t set_peer(struct bt_conn *conn)
{
	uint8_t link;

	k_mutex_lock(&peer_lock, K_FOREVER);
	if (peer != conn) {
		if (peer != NULL) {
			bt_conn_unref(peer);
		}
		peer = bt_conn_ref(conn);
		peer_link++;
	}
	link = peer_link;
	k_mutex_unlock(&peer_lock);
	return link;
}

/* The central that is notified, to be unreferenced by the caller; null if there is none. */
static struct bt_conn *take_peer(void)
{
	struct bt_conn *conn = NULL;

	k_mutex_lock(&peer_lock, K_FOREVER);
	if (peer != NULL) {
		conn = bt_conn_ref(peer);
	}
	k_mutex_unlock(&peer_lock);
	return conn;
}

static void disconnected(struct bt_conn *conn, uint8_t reason)
{
	ARG_UNUSED(reason);
	k_mutex_lock(&peer_lock, K_FOREVER);
	if (peer == conn) {
		bt_conn_unref(peer);
		peer = NULL;
	}
	k_mutex_unlock(&peer_lock);
}

BT_CONN_CB_DEFINE(connection_callbacks) = {
	.disconnected = disconnected,
};

/* Never waits: Bluetooth's receiving thread has other connections to serve. */
static int enqueue(enum frame_kind kind, uint8_t link, const void *bytes, uint16_t byte_count)
{
	struct frame *frame;
	void *block;

	if (k_mem_slab_alloc(&frames, &block, K_NO_WAIT) != 0) {
		return -EAGAIN;
	}
	frame = block;
	frame->kind = kind;
	frame->link = link;
	frame->byte_count = byte_count;
	if (byte_count > 0) {
		memcpy(frame->bytes, bytes, byte_count);
	}
	k_fifo_put(&arrived, frame);
	return 0;
}

/* What a write has to be in order to be one frame; 0, or what the callback returns. */
static ssize_t write_error(struct bt_conn *conn, uint16_t byte_count, uint16_t offset)
{
	if (conn == NULL) {
		return BT_GATT_ERR(BT_ATT_ERR_UNLIKELY);
	}
	if (offset != 0) {
		return BT_GATT_ERR(BT_ATT_ERR_INVALID_OFFSET);
	}
	if (byte_count == 0 || byte_count > FRAME_BYTE_COUNT) {
		return BT_GATT_ERR(BT_ATT_ERR_INVALID_ATTRIBUTE_LEN);
	}
	return 0;
}

static ssize_t write_control(struct bt_conn *conn, const struct bt_gatt_attr *attr,
			     const void *bytes, uint16_t byte_count, uint16_t offset, uint8_t flags)
{
	ssize_t error = write_error(conn, byte_count, offset);

	ARG_UNUSED(attr);
	ARG_UNUSED(flags);
	if (error != 0) {
		return error;
	}
	if (enqueue(FRAME_CONTROL, set_peer(conn), bytes, byte_count) != 0) {
		return BT_GATT_ERR(BT_ATT_ERR_INSUFFICIENT_RESOURCES);
	}
	return byte_count;
}

/* Of both characteristics for data. ATT answers a write request with what this returns. */
static ssize_t write_data(struct bt_conn *conn, const struct bt_gatt_attr *attr,
			  const void *bytes, uint16_t byte_count, uint16_t offset, uint8_t flags)
{
	ssize_t error = write_error(conn, byte_count, offset);

	ARG_UNUSED(attr);
	ARG_UNUSED(flags);
	if (error != 0) {
		return error;
	}
	/* A frame that finds no room is lost, and sent again: no reason to fail the request. */
	(void)enqueue(FRAME_DATA, 0, bytes, byte_count);
	return byte_count;
}

#ifdef CONFIG_BLEOTA_ENCRYPTED_LINK
#define CONTROL_PERMISSION BT_GATT_PERM_WRITE_ENCRYPT
#define CONTROL_CCC_PERMISSION (BT_GATT_PERM_READ | BT_GATT_PERM_WRITE_ENCRYPT)
#else
#define CONTROL_PERMISSION BT_GATT_PERM_WRITE
#define CONTROL_CCC_PERMISSION (BT_GATT_PERM_READ | BT_GATT_PERM_WRITE)
#endif

#define BLEOTA_UUID(first) \
	BT_UUID_DECLARE_128(BT_UUID_128_ENCODE(first, 0x5c1e, 0x4f0b, 0x9b6a, 0xe2c49d0f2d11))
/* Of the attributes below, the declaration of Control: the service and Info have three. */
#define CONTROL_INDEX 3

/* DataOut is left out: it is for a peripheral that sends images, and this one only receives. */
BT_GATT_SERVICE_DEFINE(service,
	BT_GATT_PRIMARY_SERVICE(BT_UUID_DECLARE_128(BLEOTA_SERVICE_UUID)),
	BT_GATT_CHARACTERISTIC(BLEOTA_UUID(0x7a3d0002), BT_GATT_CHRC_READ, BT_GATT_PERM_READ,
			       read_info, NULL, NULL),
	BT_GATT_CHARACTERISTIC(BLEOTA_UUID(0x7a3d0003),
			       BT_GATT_CHRC_WRITE | BT_GATT_CHRC_NOTIFY, CONTROL_PERMISSION,
			       NULL, write_control, NULL),
	BT_GATT_CCC(NULL, CONTROL_CCC_PERMISSION),
	BT_GATT_CHARACTERISTIC(BLEOTA_UUID(0x7a3d0004), BT_GATT_CHRC_WRITE_WITHOUT_RESP,
			       BT_GATT_PERM_WRITE, NULL, write_data, NULL),
	BT_GATT_CHARACTERISTIC(BLEOTA_UUID(0x7a3d0005), BT_GATT_CHRC_WRITE, BT_GATT_PERM_WRITE,
			       NULL, write_data, NULL),
);

/* ---- bleota's thread: the hooks ---------------------------------------------------------- */

/*
 * Zephyr waits for a buffer itself. Without ATT, as when a link ends, it is asked again, after
 * 10 ms at most. A frame that can't be sent at all is dropped: without a link nobody waits for it,
 * and otherwise the sender asks.
 */
static bool send(void *context, const void *bytes, uint32_t byte_count)
{
	struct bt_conn *conn = take_peer();
	int error;

	ARG_UNUSED(context);
	if (conn == NULL) {
		return true;
	}
	if (byte_count + ATT_HEADER_BYTE_COUNT > bt_gatt_get_mtu(conn)) {
		error = -EMSGSIZE;
	} else {
		error = bt_gatt_notify(conn, &service.attrs[CONTROL_INDEX], bytes,
				       (uint16_t)byte_count);
	}
	bt_conn_unref(conn);
	if (error == -ENOMEM) {
		return false;
	}
	if (error != 0) {
		LOG_WRN("a control frame of %u bytes was dropped: %d", byte_count, error);
	}
	return true;
}

static uint64_t now(void *context)
{
	ARG_UNUSED(context);
	return k_ticks_to_us_floor64(k_uptime_ticks());
}

/*
 * Zephyr's Mbed TLS has no locks: neither its heap nor PSA Crypto's keys may be used by two threads
 * at once. Bluetooth's threads use them for pairing, for the bonds and for the hash of the
 * attributes. All have higher priorities than this one, so none is in the middle of a call here;
 * and none begins one before the scheduler is unlocked.
 */
static bool verify(void *context, const uint8_t *key_id, uint32_t algorithm,
		   const uint8_t *message, const uint8_t *signature, uint32_t signature_byte_count)
{
	bool is_good;

	k_sched_lock();
	is_good = device->verify(context, key_id, algorithm, message, signature,
				 signature_byte_count);
	k_sched_unlock();
	return is_good;
}

static void log_event(void *context, bleota_event event, uint32_t number)
{
	ARG_UNUSED(context);
	LOG_INF("%s %u", bleota_event_name(event), number);
	if (event == BLEOTA_EVENT_ENDED) {
		LOG_INF("the session ended: %s", bleota_reason_name(number));
	}
	has_opened |= event == BLEOTA_EVENT_OPENED;
	has_verified |= event == BLEOTA_EVENT_ENDED && number == BLEOTA_REASON_VERIFIED;
}

/* ---- bleota's thread: the receiver ------------------------------------------------------- */

static void check(bleota_error error, const char *what)
{
	if (error != BLEOTA_OK) {
		LOG_ERR("%s: %s", what, bleota_error_name(error));
	}
}

static void tell_running(void)
{
	if (!is_running_known) {
		bleota_slots_running(&setup, &running, running_tag);
		is_running_known = true;
	}
	if (receiver != NULL) {
		check(bleota_receiver_set_running(receiver, running, running_tag), "what runs");
	}
}

/* How much of a control frame the link to the peer carries. */
static uint32_t control_byte_count(void)
{
	struct bt_conn *conn = take_peer();
	uint32_t byte_count = 0;

	if (conn != NULL) {
		byte_count = bt_gatt_get_mtu(conn);
		byte_count -= MIN(byte_count, ATT_HEADER_BYTE_COUNT);
		bt_conn_unref(conn);
	}
	return CLAMP(byte_count, BLEOTA_CONTROL_BYTE_COUNT_MIN, BLEOTA_CONTROL_BYTE_COUNT_MAX);
}

/*
 * Begins anew for each link, because the ATT_MTU is one of the link. Nothing is lost by it:
 * what arrived is in the flash, and a sender opens a new session over a new link.
 */
static void start_receiver(uint8_t link)
{
	bleota_error error;

	setup.control_byte_count_max = control_byte_count();
	setup.first_epoch = (uint8_t)sys_rand32_get();
	receiver_link = link;
	error = bleota_receiver_start(memory, sizeof(memory), &setup, &receiver);
	if (error != BLEOTA_OK) {
		receiver = NULL;
		check(error, "start");
		return;
	}
	tell_running();
}

static void confirm(void)
{
	int error = bleota_slots_confirm();

	if (error != 0) {
		LOG_ERR("the image was not confirmed: %d", error);
	}
	is_running_known = false;
	tell_running();
}

static void take(const struct frame *frame)
{
	if (frame->kind == FRAME_CONFIRM) {
		confirm();
		return;
	}
	if (frame->kind == FRAME_CONTROL && (receiver == NULL || frame->link != receiver_link)) {
		start_receiver(frame->link);
	}
	if (receiver == NULL) {
		return;
	}
	if (frame->kind == FRAME_CONTROL) {
		check(bleota_receiver_take_control(receiver, frame->bytes, frame->byte_count),
		      "control frame");
	} else {
		check(bleota_receiver_take_data(receiver, frame->bytes, frame->byte_count),
		      "data frame");
	}
}

/* What the hooks noted, now that the receiver may be called again. */
static void follow_up(void)
{
	/*
	 * Slot 1 has the image that MCUboot goes back to unless the one on trial is confirmed:
	 * until then nothing may be written over it.
	 */
	if (has_opened && bleota_slots_on_trial()) {
		check(bleota_receiver_give_up(receiver, BLEOTA_REASON_NOT_NOW), "give up");
	}
	/* A session that was opened may write the record; the next link asks what it says. */
	if (has_opened) {
		is_running_known = false;
	}
	has_opened = false;
	if (has_verified) {
		int installs = bleota_slots_install(&setup);

		if (installs < 0) {
			LOG_ERR("the image can't be installed: %d", installs);
		}
		is_restart_due = installs == 1;
		is_running_known = false;
		tell_running();
	}
	has_verified = false;
}

/* Restarts once the sender has its RESULT, or has not fetched it in 10 seconds. */
static void restart_if_due(void)
{
	bleota_status status;

	if (is_restart_due && bleota_receiver_status(receiver, &status) == BLEOTA_OK &&
	    status.phase != BLEOTA_PHASE_FINISHED) {
		LOG_INF("restarting into the new image");
		sys_reboot(SYS_REBOOT_COLD);
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

static void serve(void *a, void *b, void *c)
{
	uint32_t wait = UINT32_MAX;

	ARG_UNUSED(a);
	ARG_UNUSED(b);
	ARG_UNUSED(c);
	for (;;) {
		k_timeout_t timeout = wait == UINT32_MAX ? K_FOREVER : K_USEC(wait);
		struct frame *frame = k_fifo_get(&arrived, timeout);

		/* At most what fits the queue, so that a flood does not keep the flash waiting. */
		for (int i = 0; frame != NULL && i < CONFIG_BLEOTA_FRAME_COUNT; i++) {
			take(frame);
			k_mem_slab_free(&frames, frame);
			frame = i + 1 < CONFIG_BLEOTA_FRAME_COUNT
					? k_fifo_get(&arrived, K_NO_WAIT)
					: NULL;
		}
		wait = run();
	}
}

/* ---- For the application ----------------------------------------------------------------- */

int bleota_gatt_start(const struct bleota_gatt_device *of_device)
{
	int error = bleota_slots_open(&setup);

	if (error != 0) {
		return error;
	}
	setup.hooks.context = of_device->context;
	setup.hooks.send = send;
	setup.hooks.now = now;
	setup.hooks.log = log_event;
	setup.hooks.trusts = of_device->trusts;
	setup.hooks.verify = of_device->verify == NULL ? NULL : verify;
	setup.takes_unsigned = of_device->takes_unsigned;
	setup.hardware = of_device->hardware;
	setup.revision = of_device->revision;
	if (bleota_receiver_byte_count(&setup) > sizeof(memory)) {
		LOG_ERR("CONFIG_BLEOTA_MEMORY_BYTE_COUNT has to be %u",
			bleota_receiver_byte_count(&setup));
		return -ENOMEM;
	}
	device = of_device;
	k_thread_create(&thread, stack, K_THREAD_STACK_SIZEOF(stack), serve, NULL, NULL, NULL,
			K_PRIO_PREEMPT(CONFIG_BLEOTA_PRIORITY), 0, K_NO_WAIT);
	return 0;
}

int bleota_gatt_confirm(void)
{
	return enqueue(FRAME_CONFIRM, 0, NULL, 0);
}
