#ifndef LINE_H
#define LINE_H

/// The line between a guide's firmware and its Bluetooth stack, stack.py: messages in both
/// directions over a socket that keeps them apart, on the descriptor that BLEOTA_LINE says.

#include <stdint.h>

enum {
    /// An attribute value, or two advertisements and their lengths.
    LINE_BYTE_COUNT_MAX = 512,
};

/// Beside each kind stands what `number` and `bytes` say.
typedef enum line_kind {
    /// To the stack: a characteristic; its number, and a `line_characteristic`.
    LINE_CHARACTERISTIC = 'C',
    /// To the stack: all characteristics are told; bits of `line_option`, and the service's UUID.
    LINE_ENABLE = 'E',
    /// To the firmware: the stack runs.
    LINE_ENABLED = 'e',
    /// To the stack: advertise until a central connects; the length of the advertisement, and it
    /// with the answer to a scan behind it.
    LINE_ADVERTISE = 'A',
    /// To the firmware: a central connected; the handle of the link.
    LINE_CONNECTED = 'c',
    /// To the firmware: the link is gone.
    LINE_DISCONNECTED = 'd',
    /// To the firmware: the link's ATT_MTU.
    LINE_MTU = 'm',
    /// To the firmware: whether the central wants the notifications of Control.
    LINE_SUBSCRIBED = 's',
    /// To the firmware: a characteristic is read, or written with what stands in `bytes`.
    LINE_READ = 'r',
    LINE_WRITE = 'w',
    /// To the stack, after each of the two: an error of ATT or 0, and what was read.
    LINE_ANSWER = 'R',
    /// To the stack: notify the central; the characteristic, and the value.
    LINE_NOTIFY = 'N',
    /// To the firmware: a notification left the stack.
    LINE_NOTIFIED = 'n',
    /// To the firmware: a central that has a bond wants another one.
    LINE_REPEATED_PAIRING = 'p',
    /// To the stack: its bond is to be deleted.
    LINE_DELETE_BOND = 'D',
} line_kind;

typedef enum line_option {
    /// The stack pairs.
    LINE_PAIRS = 1,
    /// Bonds outlive a restart: they are kept, and those that were kept are loaded.
    LINE_KEEPS_BONDS = 2,
} line_option;

/// As they are sent.
typedef struct line_characteristic {
    /// The last byte of its text first.
    uint8_t uuid[16];
    /// Of the core specification.
    uint8_t properties;
    /// Bits of `line_encryption`.
    uint8_t encryption;
} line_characteristic;

/// What takes an encrypted link.
typedef enum line_encryption {
    LINE_ENCRYPTED_WRITE = 1,
    /// To ask for notifications.
    LINE_ENCRYPTED_SUBSCRIPTION = 2,
} line_encryption;

typedef struct line_message {
    uint8_t kind;
    uint8_t unused;
    uint16_t number;
    uint8_t bytes[LINE_BYTE_COUNT_MAX];
} line_message;

/// May be called from any thread. Ends the process if the stack is gone.
void line_send(line_kind kind, uint16_t number, const void *bytes, uint32_t byte_count);

/// Waits for the next message; returns how many of its bytes there are. One thread calls it.
uint32_t line_receive(line_message *message);

#endif
