#ifndef BOARD_H
#define BOARD_H

/// Arm MPS2 with the image AN386: a Cortex-M4 at 25 MHz. It has no flash, so some of its 16 MiB of
/// PSRAM plays one, with pages of 4 KiB and words that can be programmed once (../mps2).

#define BOARD_NAME "mps2-an386"
#define BOARD_HARDWARE "bleota/mps2-an386"

#define BOARD_CLOCK_MHZ 25u
#define TIMER0 0x40000000u
#define TIMER1 0x40001000u
#define TIMER1_INTERRUPT 9
#define UART0 0x40004000u
#define UART0_RECEIVED_INTERRUPT 0
#define UART0_SENT_INTERRUPT 1

#define FLASH_ADDRESS 0x21000000u
#define FLASH_BYTE_COUNT 0x11A000u
#define FLASH_PAGE_BYTE_COUNT 4096u
#define FLASH_WRITE_BYTE_COUNT 4u

#define SLOT_ADDRESS 0x21000000u
#define SLOT_BYTE_COUNT 0x100000u
#define MANIFEST_ADDRESS 0x21100000u
#define MANIFEST_BYTE_COUNT 0x8000u
#define RECORD_ADDRESS 0x21108000u
#define OLD_FIRMWARE_ADDRESS 0x2110A000u
#define OLD_FIRMWARE_BYTE_COUNT 0x10000u

/// What the receiver works in: `bleota_receiver_byte_count`, of which two blocks are the most.
#define RECEIVER_BYTE_COUNT 9408u
#define BLOCK_BYTE_COUNT_MAX 4096u

/// Queues of the serial port, powers of two.
#define UART_INPUT_BYTE_COUNT 1024u
#define UART_OUTPUT_BYTE_COUNT 512u

#endif
