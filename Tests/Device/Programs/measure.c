#include "bleota_receiver.h"
#include "board.h"
#include "clock.h"
#include "cpu.h"
#include "log.h"
#include "memory.h"
#include "p256.h"
#include "semihosting.h"
#include "sha256.h"
#include "stack.h"

/// Counts the instructions that the receiver takes, on mps2-an386 with `-icount shift=0`: there an
/// instruction takes one nanosecond and a tick of the timer 40 of them. A sender in memory hands
/// over one image, frame by frame; the flash is memory and takes no time but that of copying.

enum {
    IMAGE_BYTE_COUNT = 256 * 1024,
    BLOCK_BITS = 12,
    BLOCK_COUNT = IMAGE_BYTE_COUNT >> BLOCK_BITS,
    MANIFEST_BYTE_COUNT_USED = 50 + 16 * BLOCK_COUNT,
    CHUNK_BYTE_COUNT = 240,
    SESSION = 0x1234,
    INSTRUCTIONS_PER_TICK = 40,
};

/// In the library only if it was built to be measured: the checksum of some bytes, and their
/// SHA-256.
__attribute__((weak)) uint32_t bleota_measure_checksum(const void *bytes, uint32_t byte_count);
__attribute__((weak)) void bleota_measure_sha256(
    const void *bytes, uint32_t byte_count, uint8_t *digest);

/// What the receiver has said last.
static struct {
    bool has_account;
    uint8_t object, epoch;
    uint32_t edge;
    bool is_over;
    uint32_t reason;
} heard;

typedef struct cost {
    uint32_t call_count;
    uint64_t tick_count;
    uint32_t longest;
} cost;

static cost take_cost, run_cost;
static uint64_t receiver_memory[RECEIVER_BYTE_COUNT / 8];
static uint8_t manifest[MANIFEST_BYTE_COUNT_USED];
static bleota_receiver *receiver;

// The flash and the link.

static int32_t read_flash(void *context, uint32_t address, void *bytes, uint32_t byte_count) {
    (void)context;
    memcpy(bytes, (const void *)address, byte_count);
    return 0;
}

static int32_t write_flash(
    void *context, uint32_t address, const void *bytes, uint32_t byte_count) {
    (void)context;
    memcpy((void *)address, bytes, byte_count);
    return 0;
}

static int32_t erase_flash(void *context, uint32_t address) {
    (void)context;
    memset((void *)address, 0xFF, FLASH_PAGE_BYTE_COUNT);
    return 0;
}

static bool send(void *context, const void *frame, uint32_t byte_count) {
    (void)context;
    (void)byte_count;
    const uint8_t *bytes = frame;
    if (bytes[0] == 0x19) { // ACK
        heard.has_account = true;
        heard.object = bytes[2];
        heard.epoch = bytes[3];
        heard.edge = (uint32_t)(bytes[4] | bytes[5] << 8) + (uint32_t)(bytes[6] | bytes[7] << 8);
    } else if (bytes[0] == 0x1B) { // RESULT
        heard.is_over = true;
        heard.reason = (uint32_t)(bytes[1] | bytes[2] << 8);
    }
    return true;
}

static uint64_t now(void *context) {
    (void)context;
    return clock_now();
}

static const bleota_setup setup = {
    .hooks = { .read = read_flash, .write = write_flash, .erase = erase_flash, .send = send,
        .now = now },
    .flash = { .page_byte_count = FLASH_PAGE_BYTE_COUNT,
        .write_byte_count = FLASH_WRITE_BYTE_COUNT,
        .slot_address = SLOT_ADDRESS, .slot_byte_count = SLOT_BYTE_COUNT,
        .manifest_address = MANIFEST_ADDRESS, .manifest_byte_count = MANIFEST_BYTE_COUNT,
        .record_address = RECORD_ADDRESS },
    .block_byte_count_max = BLOCK_BYTE_COUNT_MAX,
    .control_byte_count_max = 79,
    .takes_unsigned = true,
};

// Time.

static uint32_t ticks_now(void) { return UINT32_MAX - *cpu_register(0x40000004u); }

static void note(cost *cost, uint32_t ticks) {
    cost->call_count++;
    cost->tick_count += ticks;
    cost->longest = ticks > cost->longest ? ticks : cost->longest;
}

static uint32_t instructions(uint64_t ticks, uint32_t count) {
    return (uint32_t)(ticks * INSTRUCTIONS_PER_TICK / count);
}

// The sender (spec/bleota.md, sections 2 and 4.2).

static uint16_t checksum(uint16_t register_, const uint8_t *bytes, uint32_t byte_count) {
    for (uint32_t i = 0; i < byte_count; i++) {
        register_ ^= bytes[i];
        for (int bit = 0; bit < 8; bit++) {
            register_ = (uint16_t)(register_ >> 1 ^ ((register_ & 1) != 0 ? 0x8408 : 0));
        }
    }
    return register_;
}

/// Puts the checksum behind a frame, for which there must be room; gives the length with it.
static uint32_t seal(
    const uint8_t *header, uint32_t header_byte_count, uint8_t *frame, uint32_t length) {
    uint16_t sum = checksum(checksum(0xFFFF, header, header_byte_count), frame, length) ^ 0xFFFF;
    frame[length] = (uint8_t)sum;
    frame[length + 1] = (uint8_t)(sum >> 8);
    return length + 2;
}

static void put32(uint8_t *bytes, uint32_t value) {
    for (int i = 0; i < 4; i++) {
        bytes[i] = (uint8_t)(value >> 8 * i);
    }
}

static uint8_t image_byte(uint32_t at) { return (uint8_t)((at * 2654435761u) >> 24); }

static void hash_image(uint32_t start, uint32_t byte_count, uint8_t digest[32]) {
    sha256 hash;
    uint8_t bytes[64];
    sha256_start(&hash);
    for (uint32_t at = start; at < start + byte_count; at += sizeof bytes) {
        for (uint32_t i = 0; i < sizeof bytes; i++) {
            bytes[i] = image_byte(at + i);
        }
        sha256_update(&hash, bytes, sizeof bytes);
    }
    sha256_finish(&hash, digest);
}

static void make_manifest(void) {
    uint8_t digest[32];
    memcpy(manifest, "BLM1", 4);
    manifest[4] = 1;
    manifest[5] = BLOCK_BITS;
    put32(manifest + 8, IMAGE_BYTE_COUNT);
    hash_image(0, IMAGE_BYTE_COUNT, manifest + 16);
    for (uint32_t block = 0; block < BLOCK_COUNT; block++) {
        hash_image(block << BLOCK_BITS, 1 << BLOCK_BITS, digest);
        memcpy(manifest + 48 + 16 * block, digest, 16);
    }
}

static _Noreturn void fail(const char *what) {
    log_begin("error");
    log_text("what", what);
    log_number("reason", heard.reason);
    log_end();
    semihosting_exit(1);
}

static void run(bool is_measured) {
    uint32_t wait = 0;
    do {
        uint32_t began = ticks_now();
        if (bleota_receiver_run(receiver, &wait) != BLEOTA_OK) {
            fail("run");
        }
        if (is_measured) {
            note(&run_cost, ticks_now() - began);
        }
    } while (wait == 0);
}

static void send_open(void) {
    uint8_t frame[18] = { 0x11, (uint8_t)SESSION, SESSION >> 8, CHUNK_BYTE_COUNT / 4 };
    uint8_t digest[32];
    sha256 hash;
    sha256_start(&hash);
    sha256_update(&hash, manifest, sizeof manifest);
    sha256_finish(&hash, digest);
    put32(frame + 4, sizeof manifest);
    memcpy(frame + 8, digest, 8);
    uint32_t length = seal(frame + 1, 2, frame, 16);
    if (bleota_receiver_take_control(receiver, frame, length) != BLEOTA_OK) {
        fail("open");
    }
    run(false);
}

static uint32_t chunk(uint8_t object, uint32_t start, uint8_t *bytes) {
    uint32_t end = object == 0 ? sizeof manifest : IMAGE_BYTE_COUNT;
    uint32_t count = end - start < CHUNK_BYTE_COUNT ? end - start : CHUNK_BYTE_COUNT;
    for (uint32_t i = 0; i < count; i++) {
        bytes[i] = object == 0 ? manifest[start + i] : image_byte(start + i);
    }
    return count;
}

/// A data frame, with a poll where it is the last that may be sent.
static uint32_t make_frame(uint32_t index, uint8_t *frame) {
    uint8_t header[8] = { (uint8_t)SESSION, SESSION >> 8, heard.object, heard.epoch };
    uint32_t count = chunk(heard.object, index * CHUNK_BYTE_COUNT, frame + 2);
    put32(header + 4, index);
    frame[0] = (uint8_t)index;
    frame[1] = (uint8_t)(index >> 8 | (index + 1 == heard.edge ? 0x80 : 0));
    return seal(header, sizeof header, frame, 2 + count);
}

static void send_object(uint8_t object, uint32_t byte_count) {
    uint8_t frame[CHUNK_BYTE_COUNT + 4];
    if (!heard.has_account || heard.object != object) {
        fail("the receiver asks for something else");
    }
    for (uint32_t index = 0; index * CHUNK_BYTE_COUNT < byte_count; index++) {
        if (index >= heard.edge) {
            fail("no credit");
        }
        uint32_t length = make_frame(index, frame);
        uint32_t began = ticks_now();
        if (bleota_receiver_take_data(receiver, frame, length) != BLEOTA_OK) {
            fail("data");
        }
        if (object == 1) {
            note(&take_cost, ticks_now() - began);
        }
        run(object == 1);
    }
}

static void report_transfer(void) {
    uint32_t frames = take_cost.call_count;
    log_begin("measured");
    log_text("unit", "instructions");
    log_number("frames", frames);
    log_number("take_data_per_frame", instructions(take_cost.tick_count, frames));
    log_number("run_per_frame", instructions(run_cost.tick_count, frames));
    log_number("take_data_longest", take_cost.longest * INSTRUCTIONS_PER_TICK);
    log_number("run_longest", run_cost.longest * INSTRUCTIONS_PER_TICK);
    log_number("stack_peak", stack_peak_byte_count());
    log_end();
}

static void report_parts(void) {
    uint8_t digest[32];
    const void *bytes = (const void *)SLOT_ADDRESS;
    if (bleota_measure_checksum == 0 || bleota_measure_sha256 == 0) {
        return;
    }
    uint32_t began = ticks_now();
    for (int i = 0; i < 100; i++) {
        bleota_measure_checksum(bytes, CHUNK_BYTE_COUNT + 4);
    }
    uint32_t checksum_ticks = ticks_now() - began;
    began = ticks_now();
    for (int i = 0; i < 10; i++) {
        bleota_measure_sha256(bytes, 4096, digest);
    }
    uint32_t hash_ticks = ticks_now() - began;
    log_begin("parts");
    log_number("checksum_of_244_bytes", instructions(checksum_ticks, 100));
    log_number("sha256_of_4096_bytes", instructions(hash_ticks, 10));
    log_end();
}

/// The key of RFC 6979, section A.2.5, the SHA-256 of "sample", and the signature there.
static const uint8_t public_key[P256_KEY_BYTE_COUNT] = {
    0x04, 0x60, 0xFE, 0xD4, 0xBA, 0x25, 0x5A, 0x9D, 0x31, 0xC9, 0x61, 0xEB, 0x74, 0xC6, 0x35, 0x6D,
    0x68, 0xC0, 0x49, 0xB8, 0x92, 0x3B, 0x61, 0xFA, 0x6C, 0xE6, 0x69, 0x62, 0x2E, 0x60, 0xF2, 0x9F,
    0xB6, 0x79, 0x03, 0xFE, 0x10, 0x08, 0xB8, 0xBC, 0x99, 0xA4, 0x1A, 0xE9, 0xE9, 0x56, 0x28, 0xBC,
    0x64, 0xF2, 0xF1, 0xB2, 0x0C, 0x2D, 0x7E, 0x9F, 0x51, 0x77, 0xA3, 0xC2, 0x94, 0xD4, 0x46, 0x22,
    0x99,
};
static const uint8_t signature[P256_SIGNATURE_BYTE_COUNT] = {
    0xEF, 0xD4, 0x8B, 0x2A, 0xAC, 0xB6, 0xA8, 0xFD, 0x11, 0x40, 0xDD, 0x9C, 0xD4, 0x5E, 0x81, 0xD6,
    0x9D, 0x2C, 0x87, 0x7B, 0x56, 0xAA, 0xF9, 0x91, 0xC3, 0x4D, 0x0E, 0xA8, 0x4E, 0xAF, 0x37, 0x16,
    0xF7, 0xCB, 0x1C, 0x94, 0x2D, 0x65, 0x7C, 0x41, 0xD4, 0x36, 0xC7, 0xA1, 0xB6, 0xE2, 0x9F, 0x65,
    0xF3, 0xE9, 0x00, 0xDB, 0xB9, 0xAF, 0xF4, 0x06, 0x4D, 0xC4, 0xAB, 0x2F, 0x84, 0x3A, 0xCD, 0xA8,
};

static void report_signature(void) {
    uint8_t hash[P256_HASH_BYTE_COUNT];
    sha256 state;
    sha256_start(&state);
    sha256_update(&state, "sample", 6);
    sha256_finish(&state, hash);
    stack_paint();
    uint32_t before = (uint32_t)((uint8_t *)stack_top - (uint8_t *)__builtin_frame_address(0));
    uint32_t began = ticks_now();
    bool is_right = p256_is_signature(public_key, hash, signature);
    uint32_t ticks = ticks_now() - began;
    uint32_t stack = stack_peak_byte_count() - before;
    hash[0] ^= 1;
    if (!is_right || p256_is_signature(public_key, hash, signature)) {
        fail("P-256");
    }
    log_begin("signature");
    log_number("p256_is_signature", instructions(ticks, 1));
    log_number("p256_stack", stack);
    log_end();
}

int main(void) {
    clock_start();
    make_manifest();
    if (bleota_receiver_start(receiver_memory, sizeof receiver_memory, &setup, &receiver)
        != BLEOTA_OK) {
        fail("start");
    }
    send_open();
    send_object(0, sizeof manifest);
    send_object(1, IMAGE_BYTE_COUNT);
    if (!heard.is_over || heard.reason != 0) {
        fail("not verified");
    }
    report_transfer();
    report_parts();
    report_signature();
    return 0;
}
