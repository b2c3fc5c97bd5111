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

// The port itself, one byte at a time: each board has its own (uart_port.c).

void uart_port_start(void);

/// Takes a byte that has arrived; false if there is none.
bool uart_port_take(uint8_t *byte);

/// Whether a byte can be given away at once.
bool uart_port_is_free(void);
void uart_port_send(uint8_t byte);

/// Whether bytes that arrive shall interrupt: not while there is no room for them.
void uart_port_listen(bool listens);

/// For the board's handler of the port's interrupts.
void uart_interrupt(void);

#endif
