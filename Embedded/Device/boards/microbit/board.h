#ifndef BOARD_H
#define BOARD_H

/// BBC micro:bit: an nRF51822, which is a Cortex-M0 at 16 MHz with 16 KiB of RAM and 256 KiB of
/// flash, whose upper half is the device's own.

#define BOARD_NAME "microbit"
#define BOARD_HARDWARE "bleota/microbit"

#define FLASH_ADDRESS 0x20000u
#define FLASH_BYTE_COUNT 0x1D800u
#define FLASH_PAGE_BYTE_COUNT 1024u
#define FLASH_WRITE_BYTE_COUNT 4u

#define SLOT_ADDRESS 0x20000u
#define SLOT_BYTE_COUNT 0x18000u
#define MANIFEST_ADDRESS 0x38000u
#define MANIFEST_BYTE_COUNT 0x2000u
#define RECORD_ADDRESS 0x3A000u
#define OLD_FIRMWARE_ADDRESS 0x3A800u
#define OLD_FIRMWARE_BYTE_COUNT 0x3000u

/// What the receiver works in: `bleota_receiver_byte_count`, of which two blocks are the most.
#define RECEIVER_BYTE_COUNT 9312u
#define BLOCK_BYTE_COUNT_MAX 4096u

/// Queues of the serial port, powers of two: little of the RAM is left for them.
#define UART_INPUT_BYTE_COUNT 512u
#define UART_OUTPUT_BYTE_COUNT 256u

#endif
