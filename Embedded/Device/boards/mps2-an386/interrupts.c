#include "clock.h"
#include "uart.h"

/// The board's part of the vector table. What is not enabled is zero, and would fault.

void clock_interrupt(void);
void uart_port_interrupt(void);

typedef void (*handler)(void);

__attribute__((section(".vectors.board"), used)) static const handler board_vectors[32] = {
    [0] = uart_port_interrupt, // UART 0 received
    [1] = uart_port_interrupt, // UART 0 sent
    [9] = clock_interrupt,     // timer 1
};
