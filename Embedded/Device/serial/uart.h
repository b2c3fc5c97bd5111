#ifndef UART_H
#define UART_H

/// The serial port, with a queue in each direction that interrupts fill and empty.

#include <stdbool.h>
#include <stdint.h>

void uart_start(void);

/// Takes the next byte that arrived; false if there is none.
bool uart_read(uint8_t *byte);
bool uart_has_input(void);

/// Queues all of the bytes, or none of them: false if there is no room now.
bool uart_write(const uint8_t *bytes, uint32_t byte_count);
bool uart_has_output(void);

/// For the board's handler of the port's interrupts.
void uart_interrupt(void);

#endif
