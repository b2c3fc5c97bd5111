// The host: standard output, and memory that costs nothing until it is touched.
#include "platform.h"
#include <stdio.h>

static uint8_t room[32 << 20];

uint8_t *platform_room(void) { return room; }

uint32_t platform_room_byte_count(void) { return sizeof room; }

void platform_write(const void *bytes, uint32_t byte_count) {
    fwrite(bytes, 1, byte_count, stdout);
}

int main(void) { return conformance_run() != 0; }
