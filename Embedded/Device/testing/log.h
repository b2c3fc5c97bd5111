#ifndef LOG_H
#define LOG_H

/// One JSON object a line, such as {"event":"ended","reason":0}, to whoever watches the device.

#include <stdbool.h>
#include <stdint.h>

/// A line is built between these two. They do not nest, and no handler of an interrupt logs, but
/// for that of a fault, after which there is nothing any more.
void log_begin(const char *event);
void log_end(void);

void log_number(const char *name, uint32_t number);
void log_address(const char *name, uint32_t address);
void log_flag(const char *name, bool flag);
void log_text(const char *name, const char *text);
void log_hex(const char *name, const uint8_t *bytes, uint32_t byte_count);

#endif
