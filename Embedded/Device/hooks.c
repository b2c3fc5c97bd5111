#include "hooks.h"

#include "board.h"
#include "clock.h"
#include "flash.h"
#include "log.h"
#include "options.h"
#include "slip.h"
#include "trust.h"
#include "uart.h"

session_account session;

static bool send(void *context, const void *frame, uint32_t byte_count) {
    (void)context;
    uint8_t packet[SLIP_CONTROL_PACKET_BYTE_COUNT_MAX];
    return uart_write(packet, slip_encode(SLIP_CONTROL, frame, byte_count, packet));
}

static uint64_t now(void *context) {
    (void)context;
    return clock_now();
}

static const char *name_of(bleota_event event) {
    switch (event) {
    case BLEOTA_EVENT_OPENED: return "opened";
    case BLEOTA_EVENT_RESUMED: return "resumed";
    case BLEOTA_EVENT_DURABLE: return "durable";
    case BLEOTA_EVENT_BLOCK_REJECTED: return "block_rejected";
    case BLEOTA_EVENT_FLASH_FAILED: return "flash_failed";
    case BLEOTA_EVENT_ENDED: return "session_over";
    default: return "unknown";
    }
}

static void note(bleota_event event, uint32_t number) {
    switch (event) {
    case BLEOTA_EVENT_OPENED: session = (session_account) { 0 }; break;
    case BLEOTA_EVENT_RESUMED: session.resumed_byte_count = number; break;
    case BLEOTA_EVENT_DURABLE: session.durable_byte_count = number; break;
    case BLEOTA_EVENT_BLOCK_REJECTED: session.rejected_block_count++; break;
    case BLEOTA_EVENT_FLASH_FAILED: session.flash_failure_count++; break;
    case BLEOTA_EVENT_ENDED:
        session.has_ended = true;
        session.reason = number;
        break;
    default: break;
    }
}

static void log_event(void *context, bleota_event event, uint32_t number) {
    (void)context;
    note(event, number);
    if (!options.is_quiet) {
        log_begin(name_of(event));
        log_number("number", number);
        log_end();
    }
}

const bleota_setup device_setup = {
    .hooks = {
        .read = flash_read,
        .write = flash_write,
        .erase = flash_erase,
        .send = send,
        .trusts = trust_trusts,
        .verify = trust_verify,
        .now = now,
        .log = log_event,
    },
    .flash = {
        .page_byte_count = FLASH_PAGE_BYTE_COUNT,
        .write_byte_count = FLASH_WRITE_BYTE_COUNT,
        .slot_address = SLOT_ADDRESS,
        .slot_byte_count = SLOT_BYTE_COUNT,
        .manifest_address = MANIFEST_ADDRESS,
        .manifest_byte_count = MANIFEST_BYTE_COUNT,
        .record_address = RECORD_ADDRESS,
    },
    .block_byte_count_max = BLOCK_BYTE_COUNT_MAX,
    .control_byte_count_max = 79, // a serial line carries the longest
    .takes_unsigned = true, // A device that is sold says false; this one where it has a key.
    .hardware = BOARD_HARDWARE,
    .revision = 1,
};
