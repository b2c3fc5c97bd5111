#include "cpu.h"
#include "uart.h"

/// The UART of the nRF51: six bytes of buffer for what arrives, one for what goes.
///
/// The processor stands still while the flash is erased, for 21 ms a page, and there is no other
/// master that could fetch bytes meanwhile. So on a real line CONFIG must say HWFC and RTS and CTS
/// must be wired: the UART takes RTS back by itself when its buffer fills. The micro:bit's line to
/// its USB side has no such wires; an emulator needs none.

enum { UART_INTERRUPT = 2 };

#define UART 0x40002000u
#define TASKS_STARTRX 0x000u
#define TASKS_STARTTX 0x008u
#define EVENTS_RXDRDY 0x108u
#define EVENTS_TXDRDY 0x11Cu
#define INTENSET 0x304u
#define INTENCLR 0x308u
#define ENABLE 0x500u
#define PSELTXD 0x50Cu
#define PSELRXD 0x514u
#define RXD 0x518u
#define TXD 0x51Cu
#define BAUDRATE 0x524u
#define CONFIG 0x56Cu

static const uint32_t received = 1u << 2, sent = 1u << 7;

/// Whether a byte was given away of which the UART has not said yet that it went.
static volatile bool is_sending;

void uart_port_start(void) {
    *cpu_register(UART + PSELTXD) = 24;
    *cpu_register(UART + PSELRXD) = 25;
    *cpu_register(UART + BAUDRATE) = 0x01D7E000; // 115,200 baud
    *cpu_register(UART + CONFIG) = 0;            // no parity; HWFC would be bit 0
    *cpu_register(UART + ENABLE) = 4;
    *cpu_register(UART + TASKS_STARTTX) = 1;
    *cpu_register(UART + TASKS_STARTRX) = 1;
    *cpu_register(UART + INTENSET) = received | sent;
    cpu_enable_interrupt(UART_INTERRUPT);
}

bool uart_port_take(uint8_t *byte) {
    if (*cpu_register(UART + EVENTS_RXDRDY) == 0) {
        return false;
    }
    // In this order: reading makes room for the next byte, whose event must not be cleared.
    *cpu_register(UART + EVENTS_RXDRDY) = 0;
    *byte = (uint8_t)*cpu_register(UART + RXD);
    return true;
}

bool uart_port_is_free(void) {
    if (*cpu_register(UART + EVENTS_TXDRDY) != 0) {
        *cpu_register(UART + EVENTS_TXDRDY) = 0;
        is_sending = false;
    }
    return !is_sending;
}

void uart_port_send(uint8_t byte) {
    is_sending = true;
    *cpu_register(UART + TXD) = byte;
}

/// The event stays until the byte is taken, and would interrupt all the time.
void uart_port_listen(bool listens) {
    *cpu_register(UART + (listens ? INTENSET : INTENCLR)) = received;
}

// The board's part of the vector table. What is not enabled is zero, and would fault.

void clock_interrupt(void);

typedef void (*handler)(void);

__attribute__((section(".vectors.board"), used)) static const handler board_vectors[32] = {
    [2] = uart_interrupt,  // UART
    [8] = clock_interrupt, // TIMER0
};
