#include "log.h"

#include "semihosting.h"

/// The longest line, of the end of a session, has some 250 bytes. What does not fit is left out.
static char line[320];
static uint32_t length;

static void put(char character) {
    if (length < sizeof line - 3) {
        line[length++] = character;
    }
}

static void put_text(const char *text) {
    while (*text != 0) {
        put(*text++);
    }
}

static void put_hex(uint32_t value, int digit_count) {
    while (digit_count-- > 0) {
        put("0123456789abcdef"[value >> 4 * digit_count & 15]);
    }
}

static void put_name(const char *name) {
    put_text(",\"");
    put_text(name);
    put_text("\":");
}

void log_begin(const char *event) {
    length = 0;
    put_text("{\"event\":\"");
    put_text(event);
    put('"');
}

void log_end(void) {
    line[length++] = '}';
    line[length++] = '\n';
    line[length] = 0;
    semihosting_print(line);
}

void log_number(const char *name, uint32_t number) {
    char digits[10];
    uint32_t count = 0;
    do {
        digits[count++] = (char)('0' + number % 10);
        number /= 10;
    } while (number != 0);
    put_name(name);
    while (count > 0) {
        put(digits[--count]);
    }
}

void log_address(const char *name, uint32_t address) {
    put_name(name);
    put_text("\"0x");
    put_hex(address, 8);
    put('"');
}

void log_flag(const char *name, bool flag) {
    put_name(name);
    put_text(flag ? "true" : "false");
}

void log_text(const char *name, const char *text) {
    put_name(name);
    put('"');
    put_text(text);
    put('"');
}

void log_hex(const char *name, const uint8_t *bytes, uint32_t byte_count) {
    put_name(name);
    put('"');
    for (uint32_t i = 0; i < byte_count; i++) {
        put_hex(bytes[i], 2);
    }
    put('"');
}
