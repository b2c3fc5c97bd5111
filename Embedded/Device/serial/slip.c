#include "slip.h"

enum {
    END = 0xC0,
    ESC = 0xDB,
    ESC_END = 0xDC,
    ESC_ESC = 0xDD,
};

static void forget(slip_decoder *decoder) {
    decoder->byte_count = 0;
    decoder->is_escaped = false;
    decoder->is_broken = false;
}

static void append(slip_decoder *decoder, uint8_t byte) {
    bool is_channel = decoder->byte_count == 0;
    if (decoder->byte_count == sizeof decoder->packet || (is_channel && byte > SLIP_DATA)) {
        decoder->is_broken = true;
        return;
    }
    decoder->packet[decoder->byte_count++] = byte;
}

/// The byte after an ESC; any but two has no meaning.
static void append_escaped(slip_decoder *decoder, uint8_t byte) {
    decoder->is_escaped = false;
    if (byte == ESC_END) {
        append(decoder, END);
    } else if (byte == ESC_ESC) {
        append(decoder, ESC);
    } else {
        decoder->is_broken = true;
    }
}

/// Between two packets stand two ENDs: what is between those is empty, and no packet.
static bool finish(slip_decoder *decoder, slip_frame *frame) {
    bool is_packet = !decoder->is_broken && !decoder->is_escaped && decoder->byte_count >= 2;
    frame->channel = (slip_channel)decoder->packet[0];
    frame->bytes = decoder->packet + 1;
    frame->byte_count = decoder->byte_count - 1;
    forget(decoder);
    return is_packet;
}

bool slip_decode(slip_decoder *decoder, uint8_t byte, slip_frame *frame) {
    if (byte == END) {
        return finish(decoder, frame);
    }
    if (decoder->is_broken) {
        return false;
    }
    if (decoder->is_escaped) {
        append_escaped(decoder, byte);
    } else if (byte == ESC) {
        decoder->is_escaped = true;
    } else {
        append(decoder, byte);
    }
    return false;
}

static uint8_t *put(uint8_t *at, uint8_t byte) {
    if (byte == END || byte == ESC) {
        *at++ = ESC;
        byte = byte == END ? ESC_END : ESC_ESC;
    }
    *at++ = byte;
    return at;
}

uint32_t slip_encode(
    slip_channel channel, const uint8_t *frame, uint32_t byte_count, uint8_t *packet) {
    uint8_t *at = packet;
    *at++ = END;
    at = put(at, (uint8_t)channel);
    for (uint32_t i = 0; i < byte_count; i++) {
        at = put(at, frame[i]);
    }
    *at++ = END;
    return (uint32_t)(at - packet);
}
