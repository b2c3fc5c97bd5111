#include "uart.h"

#include "board.h"
#include "cpu.h"

/// A queue of bytes with one who puts and one who takes; each of the two indices has one writer. It
/// holds one byte less than its capacity.
typedef struct ring {
    uint8_t *bytes;
    uint32_t capacity; // a power of two
    volatile uint32_t put_at;
    volatile uint32_t take_at;
} ring;

static uint32_t ring_count(const ring *ring) {
    return (ring->put_at - ring->take_at) & (ring->capacity - 1);
}

static uint32_t ring_room(const ring *ring) {
    return ring->capacity - 1 - ring_count(ring);
}

/// Only where there is room.
static void ring_put(ring *ring, uint8_t byte) {
    ring->bytes[ring->put_at] = byte;
    ring->put_at = (ring->put_at + 1) & (ring->capacity - 1);
}

/// Only where there is a byte.
static uint8_t ring_take(ring *ring) {
    uint8_t byte = ring->bytes[ring->take_at];
    ring->take_at = (ring->take_at + 1) & (ring->capacity - 1);
    return byte;
}

// While flash is erased or programmed, main takes nothing: with 115,200 baud and 20 ms for a page
// that is 230 bytes, and more while a block is hashed. Where the whole processor stands
// still meanwhile, as in the nRF51, no interrupt helps: a real line needs RTS and CTS then. An
// emulator holds bytes back until they are taken, so here nothing is ever lost.
static uint8_t input_bytes[UART_INPUT_BYTE_COUNT];

// One control frame at the least, at its longest with each byte escaped: 162 bytes.
static uint8_t output_bytes[UART_OUTPUT_BYTE_COUNT];

static ring input = { .bytes = input_bytes, .capacity = sizeof input_bytes };
static ring output = { .bytes = output_bytes, .capacity = sizeof output_bytes };

static void move_in(void) {
    uint8_t byte;
    while (ring_room(&input) > 0 && uart_port_take(&byte)) {
        ring_put(&input, byte);
    }
    uart_port_listen(ring_room(&input) > 0);
}

static void move_out(void) {
    // The port is asked first: an interrupt that says that it is free has to be seen.
    while (uart_port_is_free() && ring_count(&output) > 0) {
        uart_port_send(ring_take(&output));
    }
}

void uart_interrupt(void) {
    move_in();
    move_out();
}

void uart_start(void) { uart_port_start(); }

bool uart_read(uint8_t *byte) {
    if (ring_count(&input) == 0) {
        return false;
    }
    // What had no room before may have no interrupt left that would fetch it.
    bool was_full = ring_room(&input) == 0;
    *byte = ring_take(&input);
    if (was_full) {
        cpu_mask_interrupts();
        move_in();
        cpu_unmask_interrupts();
    }
    return true;
}

bool uart_has_input(void) { return ring_count(&input) > 0; }

bool uart_write(const uint8_t *bytes, uint32_t byte_count) {
    if (ring_room(&output) < byte_count) {
        return false;
    }
    for (uint32_t i = 0; i < byte_count; i++) {
        ring_put(&output, bytes[i]);
    }
    cpu_mask_interrupts();
    move_out();
    cpu_unmask_interrupts();
    return true;
}

bool uart_has_output(void) {
    cpu_mask_interrupts();
    bool has_output = ring_count(&output) > 0 || !uart_port_is_free();
    cpu_unmask_interrupts();
    return has_output;
}
