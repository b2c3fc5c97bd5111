#ifndef UART_PORT_H
#define UART_PORT_H

/// The serial port of a board, one byte at a time. Its interrupts call `uart_interrupt`.

#include <stdbool.h>
#include <stdint.h>

void uart_port_start(void);

/// Takes a byte that has arrived; false if there is none.
bool uart_port_take(uint8_t *byte);

/// Whether a byte can be given away at once.
bool uart_port_is_free(void);
void uart_port_send(uint8_t byte);

/// Whether bytes that arrive shall interrupt: not while there is no room for them.
void uart_port_listen(bool listens);

#endif
