#include "line.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int descriptor(void) {
    const char *number = getenv("BLEOTA_LINE");

    if (number == NULL) {
        abort();
    }
    return atoi(number);
}

void line_send(line_kind kind, uint16_t number, const void *bytes, uint32_t byte_count) {
    line_message message = { .kind = (uint8_t)kind, .number = number };

    if (byte_count > LINE_BYTE_COUNT_MAX) {
        abort();
    }
    if (byte_count > 0) {
        memcpy(message.bytes, bytes, byte_count);
    }
    // A message of such a socket goes as a whole, so that threads need not agree.
    if (write(descriptor(), &message, offsetof(line_message, bytes) + byte_count) < 0) {
        _exit(1);
    }
}

uint32_t line_receive(line_message *message) {
    ssize_t byte_count = read(descriptor(), message, sizeof *message);

    if (byte_count < (ssize_t)offsetof(line_message, bytes)) {
        _exit(1);
    }
    return (uint32_t)byte_count - (uint32_t)offsetof(line_message, bytes);
}
