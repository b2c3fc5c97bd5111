#include "board.h"
#include "clock.h"
#include "uart.h"

/// The board's part of the vector table. What is not enabled is zero, and would fault.

void clock_interrupt(void);
void uart_port_interrupt(void);

typedef void (*handler)(void);

__attribute__((section(".vectors.board"), used)) static const handler board_vectors[48] = {
    [UART0_RECEIVED_INTERRUPT] = uart_port_interrupt,
    [UART0_SENT_INTERRUPT] = uart_port_interrupt,
    [TIMER1_INTERRUPT] = clock_interrupt,
};
