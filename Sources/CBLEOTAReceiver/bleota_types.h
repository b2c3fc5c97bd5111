#ifndef BLEOTA_TYPES_H
#define BLEOTA_TYPES_H

/// What a device and the receiver of bleota tell each other. The functions are in
/// bleota_receiver.h, which includes this file.
///
/// Every structure is filled in by its owner in full; set it to zero first (`= { 0 }`), so that
/// what a later version adds is zero. Byte counts and addresses are 32 bits. Times are
/// microseconds. The last value of each enumeration is never used: it makes the type 32 bits long
/// with every compiler.

#include <stdbool.h>
#include <stdint.h>

/// Why a function did nothing.
typedef enum bleota_error {
    BLEOTA_OK = 0,
    /// A pointer that must not be null is.
    BLEOTA_NULL_ARGUMENT = 1,
    /// The memory does not begin at a multiple of 8.
    BLEOTA_MEMORY_MISALIGNED = 2,
    /// The memory is less than `bleota_receiver_byte_count` asks for.
    BLEOTA_MEMORY_TOO_SMALL = 3,
    /// A hook is missing that must be there.
    BLEOTA_HOOK_MISSING = 4,
    /// The areas of the flash overlap, or one of them or its page or write size is not as
    /// described.
    BLEOTA_FLASH_INVALID = 5,
    /// A number in the setup is out of its range.
    BLEOTA_SETUP_INVALID = 6,
    /// The memory holds no receiver that was started.
    BLEOTA_NOT_STARTED = 7,
    /// A hook called the receiver that called it.
    BLEOTA_CALLED_FROM_HOOK = 8,
    /// An argument is out of its range.
    BLEOTA_ARGUMENT_INVALID = 9,
    /// Not in this state: a request while a session is open.
    BLEOTA_NOT_NOW = 10,
    /// The flash holds no record: nothing was ever made current.
    BLEOTA_NO_RECORD = 11,
    /// The hook that reads the flash failed.
    BLEOTA_FLASH_FAILED = 12,
    BLEOTA_ERROR_IS_32_BITS = 0x7FFFFFFF,
} bleota_error;

/// A receiver: the beginning of the memory it works in, which is its owner's and nobody else's.
typedef struct bleota_receiver {
    uint64_t opaque;
} bleota_receiver;

/// What runs, as STATUS says it.
///
/// The SHA-256 that goes with it is always of the image that runs.
typedef enum bleota_running {
    BLEOTA_RUNNING_UNKNOWN = 0,
    /// The image that runs stays.
    BLEOTA_RUNNING_CONFIRMED = 1,
    /// The device goes back to another image unless it is confirmed.
    BLEOTA_RUNNING_ON_TRIAL = 2,
    /// The image that was verified last is being installed, and another one runs.
    BLEOTA_RUNNING_INSTALLING = 3,
    /// The image that was verified last could not be installed, or the device went back from it.
    BLEOTA_RUNNING_FAILED = 4,
    BLEOTA_RUNNING_IS_32_BITS = 0x7FFFFFFF,
} bleota_running;

/// What the logging hook is told, with a number.
typedef enum bleota_event {
    /// A session began; the number of bytes of its manifest.
    BLEOTA_EVENT_OPENED = 1,
    /// The image is received from here on; how many of its bytes are held from before.
    BLEOTA_EVENT_RESUMED = 2,
    /// More of the image is durable; how many bytes of it in all.
    BLEOTA_EVENT_DURABLE = 3,
    /// A block did not have its hash; its number.
    BLEOTA_EVENT_BLOCK_REJECTED = 4,
    /// A hook for the flash failed; what it returned.
    BLEOTA_EVENT_FLASH_FAILED = 5,
    /// The session is over; its `bleota_reason`: BLEOTA_REASON_VERIFIED for an image.
    BLEOTA_EVENT_ENDED = 6,
    BLEOTA_EVENT_IS_32_BITS = 0x7FFFFFFF,
} bleota_event;

/// How long frames are, in bytes.
enum {
    /// What any link carries of a control frame.
    BLEOTA_CONTROL_BYTE_COUNT_MIN = 18,
    /// The longest control frame.
    BLEOTA_CONTROL_BYTE_COUNT_MAX = 79,
    /// The longest frame of any kind.
    BLEOTA_FRAME_BYTE_COUNT_MAX = 512,
};

/// How images are signed (spec/registry.md).
enum {
    /// Of RFC 8032: a public key has 32 bytes, a signature 64.
    BLEOTA_ALGORITHM_ED25519 = 1,
    /// With SHA-256: a public key has 65 bytes, 4 and X and Y; a signature 64, r and s.
    BLEOTA_ALGORITHM_ECDSA_P256 = 2,
    /// How many bytes are signed, with any algorithm.
    BLEOTA_SIGNED_BYTE_COUNT = 48,
};

/// In `last_ending`: no session has ended yet. No RESULT says it.
enum { BLEOTA_NOT_ENDED = 0xFFFF };

/// What the device does for the receiver. A hook is called from within a function of the receiver,
/// and must not call one. `write`, `erase`, `send`, `trusts` and `verify` are called by
/// `bleota_receiver_run` alone, `read` also by `bleota_receiver_start` and `bleota_read_record`,
/// and `now` and `log` by any.
typedef struct bleota_hooks {
    /// Handed to every hook.
    void *context;

    /// Copies bytes out of the flash. Returns 0, or another number if that failed: then nothing is
    /// done that could rest on old bytes, and the session ends. What a power cut left with a wrong
    /// error check is no failure: such bytes may be anything, and are found to be wrong.
    int32_t (*read)(void *context, uint32_t address, void *bytes, uint32_t byte_count);

    /// Programs bytes that were erased before, each once; address and length are multiples of
    /// `write_byte_count`, and `bytes` begin at a multiple of 4. Returns 0 when they are there for
    /// good, or another number if that failed.
    int32_t (*write)(void *context, uint32_t address, const void *bytes, uint32_t byte_count);

    /// Erases one page: all of it reads 0xFF. Returns 0 when that is so for good, or another number
    /// if it failed.
    int32_t (*erase)(void *context, uint32_t address);

    /// Hands a control frame of 1 to 79 bytes to the link, which copies it. False if the link is
    /// full: then the receiver keeps the frame and asks again the next time it runs.
    bool (*send)(void *context, const void *frame, uint32_t byte_count);

    /// Whether the device has the public key with this id, the first 8 bytes of its SHA-256, and
    /// trusts who has the private one. Algorithm 1 is Ed25519, with keys of 32 bytes; 2 is ECDSA
    /// over P-256 with SHA-256, with keys of 65 bytes: 4, X and Y. Say no to an algorithm that the
    /// device does not have, and to a key of the other one. Null: no key is trusted.
    bool (*trusts)(void *context, const uint8_t *key_id, uint32_t algorithm);

    /// Whether a signature is of these 48 bytes, by a key that `trusts` said yes to. It has 64
    /// bytes with either algorithm; those of P-256 are r and s, and its message is the 48 bytes or
    /// their SHA-256, as the library wants it. There where `trusts` is, and only there.
    bool (*verify)(void *context, const uint8_t *key_id, uint32_t algorithm, const uint8_t *message,
        const uint8_t *signature, uint32_t signature_byte_count);

    /// The time since any fixed moment, in microseconds; never goes back, also not after 71
    /// minutes: all 64 bits count.
    uint64_t (*now)(void *context);

    /// What happens, for a log. May be null.
    void (*log)(void *context, bleota_event event, uint32_t number);
} bleota_hooks;

/// Where things are in the flash. Nothing outside the three areas is ever written or erased. An
/// area begins at a multiple of the page size, has less than 512 MiB and does not overlap another.
typedef struct bleota_flash {
    /// How much an erasure erases; a power of two, 256 to 131,072.
    uint32_t page_byte_count;
    /// How much can be programmed at once, at least; a power of two, 1 to 64.
    uint32_t write_byte_count;
    /// Where a new image goes, and how much room it has: a multiple of the page size. With two
    /// slots it is the one that the device does not run from; with a boot loader that swaps, its
    /// second slot.
    uint32_t slot_address;
    uint32_t slot_byte_count;
    /// Where the manifest of the image goes, and how much room it has: a multiple of the page size.
    /// Of n bytes of manifest, 50 and what attributes and signatures take are fixed (a signature
    /// takes 76), and each block of the image takes 16.
    uint32_t manifest_address;
    uint32_t manifest_byte_count;
    /// Two pages for the record of what is in the slots.
    uint32_t record_address;
} bleota_flash;

/// What a device is, and how it is made. It and what it points to stay as they are as long as the
/// receiver runs.
typedef struct bleota_setup {
    bleota_hooks hooks;
    bleota_flash flash;
    /// The longest blocks of images that are taken, a power of two, 256 to 65,536, not less than
    /// what the sender uses: 4,096, if it was not told otherwise. 0 stands for 4,096. An image with
    /// shorter blocks is taken only if it has no more of them than the slot has of the longest.
    uint32_t block_byte_count_max;
    /// The longest frame that the link carries to the sender, 18 to 79: over GATT the ATT_MTU less
    /// 3. Longer ones are no harm. 0 stands for 18.
    uint32_t control_byte_count_max;
    /// Any number, best another one after each start.
    uint8_t first_epoch;
    /// Whether an image without a signature by a trusted key is taken.
    bool takes_unsigned;
    /// What the device is, `vendor/hardware`, with its revision; null if it does not know, and then
    /// it takes nothing that says for what it is. It has one `/`, with a byte or more at each side:
    /// under another name no image can be signed, and so none is taken.
    const char *hardware;
    uint16_t revision;
    /// The part of a device that it is; null for none.
    const char *component;
    /// The lowest security counter that is taken; the record may ask for a higher one.
    uint32_t counter_min;
} bleota_setup;

/// What the flash says of its slots. Of two records the one with the higher sequence counts.
typedef struct bleota_record {
    /// How many records there have been.
    uint32_t sequence;
    /// The lowest security counter that is taken.
    uint32_t counter;
    /// Where the slot is that this record is about.
    uint32_t slot_address;
    /// The length of the verified image in it; 0: that slot has none any more, and what is in
    /// another slot counts.
    uint32_t image_byte_count;
    /// The SHA-256 of the image.
    uint8_t image_sha256[32];
} bleota_record;

/// What a receiver is at.
typedef enum bleota_phase {
    BLEOTA_PHASE_IDLE = 0,
    BLEOTA_PHASE_REQUESTING = 1,
    BLEOTA_PHASE_LOOKING_UP = 2,
    BLEOTA_PHASE_RECEIVING_MANIFEST = 3,
    BLEOTA_PHASE_RECEIVING_IMAGE = 4,
    BLEOTA_PHASE_JUDGING = 5,
    BLEOTA_PHASE_VERIFYING = 6,
    BLEOTA_PHASE_FINISHED = 7,
    BLEOTA_PHASE_IS_32_BITS = 0x7FFFFFFF,
} bleota_phase;

/// What a receiver says of itself.
typedef struct bleota_status {
    bleota_phase phase;
    /// How the last session ended, a `bleota_reason`; BLEOTA_NOT_ENDED before the first end.
    uint16_t last_ending;
    /// How much of the image is durable, and how long it is; 0 and 0 where there is none.
    uint32_t durable_byte_count;
    uint32_t image_byte_count;
} bleota_status;

#endif
