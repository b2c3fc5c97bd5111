#include "bleota_receiver.h"
#include "board.h"
#include "boot.h"
#include "clock.h"
#include "cpu.h"
#include "flash.h"
#include "hooks.h"
#include "log.h"
#include "memory.h"
#include "old_firmware.h"
#include "options.h"
#include "report.h"
#include "semihosting.h"
#include "sha256.h"
#include "slip.h"
#include "trust.h"
#include "uart.h"

/// A device that takes firmware over a serial line: the main loop. A device with Bluetooth hands
/// over what is written to its characteristics instead of what comes out of the line.

static uint64_t receiver_memory[RECEIVER_BYTE_COUNT / 8];
// What comes before the first END may be the rest of a packet.
static slip_decoder decoder = { .is_broken = true };

/// The receiver refuses only what is a mistake in this program.
static void expect(bleota_error error, const char *call) {
    if (error != BLEOTA_OK) {
        log_begin("error");
        log_text("call", call);
        log_text("name", bleota_error_name(error));
        log_end();
        semihosting_exit(4);
    }
}

static bool next_frame(slip_frame *frame) {
    uint8_t byte;
    while (uart_read(&byte)) {
        if (slip_decode(&decoder, byte, frame)) {
            return true;
        }
    }
    return false;
}

/// One frame at a time: between two of them the receiver does what is due.
static void hand_over_frame(bleota_receiver *receiver) {
    slip_frame frame;
    if (!next_frame(&frame)) {
        return;
    }
    if (frame.channel == SLIP_CONTROL) {
        expect(bleota_receiver_take_control(receiver, frame.bytes, frame.byte_count), "control");
    } else {
        expect(bleota_receiver_take_data(receiver, frame.bytes, frame.byte_count), "data");
    }
}

/// Until a byte comes, or the receiver has to look at its clock.
static void sleep(uint32_t microseconds) {
    clock_set_alarm(microseconds);
    cpu_mask_interrupts();
    if (!uart_has_input()) {
        cpu_wait_for_interrupt();
    }
    cpu_unmask_interrupts();
}

/// What runs is said to who asks, by the first 8 bytes of its hash.
static void tell_what_runs(bleota_receiver *receiver, const boot_choice *choice) {
    expect(bleota_receiver_set_running(receiver, BLEOTA_RUNNING_CONFIRMED, choice->sha256),
        "running");
}

/// Starts the new image as soon as the sender has seen that it is verified, or has been waited for.
static void restart_when_over(bleota_receiver *receiver) {
    bleota_status status = { 0 };
    expect(bleota_receiver_status(receiver, &status), "status");
    if (status.phase != BLEOTA_PHASE_IDLE) {
        return;
    }
    while (uart_has_output()) {
    }
    log_begin("restart");
    log_end();
    cpu_reset();
}

static _Noreturn void serve(bleota_receiver *receiver) {
    bool has_new_image = false;
    for (;;) {
        uint32_t wait = 0;
        hand_over_frame(receiver);
        expect(bleota_receiver_run(receiver, &wait), "run");
        if (session.has_ended) {
            has_new_image = session.reason == 0;
            report_session();
            session = (session_account) { 0 };
        }
        if (has_new_image) {
            restart_when_over(receiver);
        }
        if (wait > 0 && !uart_has_input()) {
            sleep(wait);
        }
    }
}

int main(void) {
    options_read();
    trust_read();
    clock_start();
    if (!sha256_works()) {
        return 5;
    }
    if (flash_start()) {
        old_firmware_install();
    }
    boot_choice choice = boot_choose(&device_setup);
    uart_start();

    bleota_setup setup = device_setup;
    setup.takes_unsigned = !trust_has_key();
    bleota_receiver *receiver = 0;
    expect(bleota_receiver_start(receiver_memory, sizeof receiver_memory, &setup, &receiver),
        "start");
    tell_what_runs(receiver, &choice);
    log_begin("ready");
    log_number("receiver_byte_count", bleota_receiver_byte_count(&device_setup));
    log_end();
    serve(receiver);
}
