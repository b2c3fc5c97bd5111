#ifndef SLIP_H
#define SLIP_H

/// Frames on a serial line, as RFC 1055 packs them. A packet is a byte for the channel and one
/// frame, with an END before and after it. Whatever else is on the line is dropped up to the next
/// END.

#include <stdbool.h>
#include <stdint.h>

typedef enum slip_channel {
    SLIP_CONTROL = 0,
    SLIP_DATA = 1,
} slip_channel;

enum {
    SLIP_FRAME_BYTE_COUNT_MAX = 512,
    /// What a control frame can become on the line: 79 bytes and the channel, each escaped, two
    /// ENDs.
    SLIP_CONTROL_PACKET_BYTE_COUNT_MAX = 2 * 80 + 2,
};

typedef struct slip_decoder {
    uint32_t byte_count;
    bool is_escaped;
    bool is_broken;
    uint8_t packet[1 + SLIP_FRAME_BYTE_COUNT_MAX];
} slip_decoder;

/// Takes one byte from the line. True where it ends a packet: then `frame` is what it holds, until
/// the next byte.
typedef struct slip_frame {
    slip_channel channel;
    const uint8_t *bytes;
    uint32_t byte_count;
} slip_frame;

bool slip_decode(slip_decoder *decoder, uint8_t byte, slip_frame *frame);

/// Writes a packet, for which there must be room for twice the frame and 4 bytes; gives its length.
uint32_t slip_encode(slip_channel channel, const uint8_t *frame, uint32_t byte_count,
    uint8_t *packet);

#endif
