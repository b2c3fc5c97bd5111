#ifndef RING_H
#define RING_H

/// A queue of bytes with one who puts and one who takes; each of the two indices has one writer. It
/// holds one byte less than its capacity.

#include <stdbool.h>
#include <stdint.h>

typedef struct ring {
    uint8_t *bytes;
    uint32_t capacity; // a power of two
    volatile uint32_t put_at;
    volatile uint32_t take_at;
} ring;

static inline uint32_t ring_count(const ring *ring) {
    return (ring->put_at - ring->take_at) & (ring->capacity - 1);
}

static inline uint32_t ring_room(const ring *ring) {
    return ring->capacity - 1 - ring_count(ring);
}

/// Only where there is room.
static inline void ring_put(ring *ring, uint8_t byte) {
    ring->bytes[ring->put_at] = byte;
    ring->put_at = (ring->put_at + 1) & (ring->capacity - 1);
}

/// Only where there is a byte.
static inline uint8_t ring_take(ring *ring) {
    uint8_t byte = ring->bytes[ring->take_at];
    ring->take_at = (ring->take_at + 1) & (ring->capacity - 1);
    return byte;
}

#endif
