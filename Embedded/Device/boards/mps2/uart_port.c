#include "board.h"
#include "cpu.h"
#include "uart.h"

/// UART 0, a CMSDK APB UART: one byte of buffer in each direction, and an interrupt for each byte
/// that came or went. A byte that is not taken holds the emulator's line; the real one overruns.

enum { BAUD_DIVIDER = BOARD_CLOCK_MHZ * 1000000 / 115200 };

#define DATA 0x00u
#define STATE 0x04u
#define CTRL 0x08u
#define INTCLEAR 0x0Cu
#define BAUDDIV 0x10u

static const uint32_t send_full = 1, receive_full = 2;

static void uart_port_interrupt(void) {
    // Cleared before the registers are looked at: what comes from now on interrupts again.
    *cpu_register(UART0 + INTCLEAR) = 3;
    uart_interrupt();
}

void uart_port_start(void) {
    *cpu_register(UART0 + BAUDDIV) = BAUD_DIVIDER;
    *cpu_register(UART0 + CTRL) = 0xF; // sends, receives, and interrupts for both
    cpu_enable_interrupt(UART0_RECEIVED_INTERRUPT);
    cpu_enable_interrupt(UART0_SENT_INTERRUPT);
}

bool uart_port_take(uint8_t *byte) {
    if ((*cpu_register(UART0 + STATE) & receive_full) == 0) {
        return false;
    }
    *byte = (uint8_t)*cpu_register(UART0 + DATA);
    return true;
}

bool uart_port_is_free(void) { return (*cpu_register(UART0 + STATE) & send_full) == 0; }

void uart_port_send(uint8_t byte) { *cpu_register(UART0 + DATA) = byte; }

/// The interrupt comes once for each byte and not as long as one is there: nothing has to be
/// masked.
void uart_port_listen(bool listens) { (void)listens; }

// The board's part of the vector table. What is not enabled is zero, and would fault.

void clock_interrupt(void);

typedef void (*handler)(void);

__attribute__((section(".vectors.board"), used)) static const handler board_vectors[48] = {
    [UART0_RECEIVED_INTERRUPT] = uart_port_interrupt,
    [UART0_SENT_INTERRUPT] = uart_port_interrupt,
    [TIMER1_INTERRUPT] = clock_interrupt,
};
