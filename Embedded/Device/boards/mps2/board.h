#ifndef BOARD_H
#define BOARD_H

/// Arm MPS2 with one of two images, which is what BOARD_IMAGE says. It has no flash, so some of its
/// 16 MiB of PSRAM plays one, with pages of 4 KiB and words that can be programmed once
/// (flash_chip.c).

#if BOARD_IMAGE == 386
/// A Cortex-M4 at 25 MHz.
#define BOARD_NAME "mps2-an386"
#define BOARD_CLOCK_MHZ 25u
#define TIMER0 0x40000000u
#define TIMER1 0x40001000u
#define TIMER1_INTERRUPT 9
#define UART0 0x40004000u
#define UART0_RECEIVED_INTERRUPT 0
#define UART0_SENT_INTERRUPT 1
#define FLASH_ADDRESS 0x21000000u
#elif BOARD_IMAGE == 505
/// A Cortex-M33 at 20 MHz, which starts in the secure state and stays there; peripherals and memory
/// are at their secure addresses.
#define BOARD_NAME "mps2-an505"
#define BOARD_CLOCK_MHZ 20u
#define TIMER0 0x50000000u
#define TIMER1 0x50001000u
#define TIMER1_INTERRUPT 4
#define UART0 0x50200000u
#define UART0_RECEIVED_INTERRUPT 32
#define UART0_SENT_INTERRUPT 33
#define FLASH_ADDRESS 0x80000000u
#else
#error "BOARD_IMAGE is 386 or 505"
#endif

#define BOARD_HARDWARE "bleota/" BOARD_NAME

#define FLASH_BYTE_COUNT 0x11A000u
#define FLASH_PAGE_BYTE_COUNT 4096u
#define FLASH_WRITE_BYTE_COUNT 4u

#define SLOT_ADDRESS FLASH_ADDRESS
#define SLOT_BYTE_COUNT 0x100000u
#define MANIFEST_ADDRESS (FLASH_ADDRESS + 0x100000u)
#define MANIFEST_BYTE_COUNT 0x8000u
#define RECORD_ADDRESS (FLASH_ADDRESS + 0x108000u)
#define OLD_FIRMWARE_ADDRESS (FLASH_ADDRESS + 0x10A000u)
#define OLD_FIRMWARE_BYTE_COUNT 0x10000u

/// What the receiver works in: `bleota_receiver_byte_count`, of which two blocks are the most.
#define RECEIVER_BYTE_COUNT 9408u
#define BLOCK_BYTE_COUNT_MAX 4096u

/// Queues of the serial port, powers of two.
#define UART_INPUT_BYTE_COUNT 1024u
#define UART_OUTPUT_BYTE_COUNT 512u

#endif
