#include "uart.h"

/// The board's part of the vector table. What is not enabled is zero, and would fault.

void clock_interrupt(void);

typedef void (*handler)(void);

__attribute__((section(".vectors.board"), used)) static const handler board_vectors[32] = {
    [2] = uart_interrupt,  // UART
    [8] = clock_interrupt, // TIMER0
};
