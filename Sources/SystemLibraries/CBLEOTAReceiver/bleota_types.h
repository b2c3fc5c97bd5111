#ifndef BLEOTA_TYPES_H
#define BLEOTA_TYPES_H

/// The types of the interface between a device and the bleota receiver. The functions are in
/// bleota_receiver.h, which includes this file.
///
/// The owner of a structure fills in all of its members. Set the structure to zero first
/// (`= { 0 }`), so that members that a later version adds are zero. Byte counts and addresses
/// have 32 bits. Times are in microseconds. The last value of each enumeration is never used. It
/// makes the type 32 bits wide with every compiler.

#include <stdbool.h>
#include <stdint.h>

/// The reason a function had no effect.
typedef enum bleota_error {
    BLEOTA_OK = 0,
    /// A pointer that must not be null is null.
    BLEOTA_NULL_ARGUMENT = 1,
    /// The memory is not aligned to 8 bytes.
    BLEOTA_MEMORY_MISALIGNED = 2,
    /// The memory is smaller than `bleota_receiver_byte_count` requires.
    BLEOTA_MEMORY_TOO_SMALL = 3,
    /// A required hook is missing.
    BLEOTA_HOOK_MISSING = 4,
    /// The areas of the flash overlap, or an area, the page size or the write size is invalid.
    BLEOTA_FLASH_INVALID = 5,
    /// A number in the setup is out of range.
    BLEOTA_SETUP_INVALID = 6,
    /// No receiver was started in the memory.
    BLEOTA_NOT_STARTED = 7,
    /// A hook called a function of the receiver that called the hook.
    BLEOTA_CALLED_FROM_HOOK = 8,
    /// An argument is out of range.
    BLEOTA_ARGUMENT_INVALID = 9,
    /// The state does not allow the call, for example a request during a session.
    BLEOTA_NOT_NOW = 10,
    /// The flash has no record, because no image has ever been made current.
    BLEOTA_NO_RECORD = 11,
    /// The hook that reads the flash failed.
    BLEOTA_FLASH_FAILED = 12,
    BLEOTA_ERROR_IS_32_BITS = 0x7FFFFFFF,
} bleota_error;

/// A receiver, which begins at the start of its memory. Nothing else may use that memory.
typedef struct bleota_receiver {
    uint64_t opaque;
} bleota_receiver;

/// The state of the running image, as sent in STATUS.
///
/// The SHA-256 that is sent with it always belongs to the running image.
typedef enum bleota_running {
    BLEOTA_RUNNING_UNKNOWN = 0,
    /// The running image is permanent.
    BLEOTA_RUNNING_CONFIRMED = 1,
    /// The device reverts to another image unless the running image is confirmed.
    BLEOTA_RUNNING_ON_TRIAL = 2,
    /// The most recently verified image is being installed, and another one is running.
    BLEOTA_RUNNING_INSTALLING = 3,
    /// The most recently verified image could not be installed, or the device has reverted from
    /// it.
    BLEOTA_RUNNING_FAILED = 4,
    BLEOTA_RUNNING_IS_32_BITS = 0x7FFFFFFF,
} bleota_running;

/// The events that are passed to the logging hook. Each comes with a number.
typedef enum bleota_event {
    /// A session began. The number is the length of its manifest in bytes.
    BLEOTA_EVENT_OPENED = 1,
    /// The reception of the image begins. The number is how many of its bytes are already held.
    BLEOTA_EVENT_RESUMED = 2,
    /// More of the image is durable. The number is the total of its durable bytes.
    BLEOTA_EVENT_DURABLE = 3,
    /// A block did not match its hash. The number is that of the block.
    BLEOTA_EVENT_BLOCK_REJECTED = 4,
    /// A hook for the flash failed. The number is the value that it returned.
    BLEOTA_EVENT_FLASH_FAILED = 5,
    /// The session ended. The number is a `bleota_reason`: BLEOTA_REASON_VERIFIED if the image
    /// is current.
    BLEOTA_EVENT_ENDED = 6,
    BLEOTA_EVENT_IS_32_BITS = 0x7FFFFFFF,
} bleota_event;

/// The lengths of frames, in bytes.
enum {
    /// The length of a control frame that every link carries.
    BLEOTA_CONTROL_BYTE_COUNT_MIN = 18,
    /// The length of the longest control frame.
    BLEOTA_CONTROL_BYTE_COUNT_MAX = 79,
    /// The length of the longest frame of any kind.
    BLEOTA_FRAME_BYTE_COUNT_MAX = 512,
};

/// The signature algorithms for images (spec/registry.md).
enum {
    /// Ed25519 (RFC 8032). A public key is 32 bytes long, and a signature is 64 bytes long.
    BLEOTA_ALGORITHM_ED25519 = 1,
    /// ECDSA over P-256 with SHA-256. A public key is 65 bytes long (4, X and Y), and a signature
    /// is 64 bytes long (r and s).
    BLEOTA_ALGORITHM_ECDSA_P256 = 2,
    /// The number of bytes that are signed, with any algorithm.
    BLEOTA_SIGNED_BYTE_COUNT = 48,
};

/// The value of `last_ending` before any session has ended. It is never sent in RESULT.
enum { BLEOTA_NOT_ENDED = 0xFFFF };

/// The services that the device provides for the receiver. The receiver calls a hook from
/// within its own functions, and a hook must not call the receiver. `write`, `erase`, `send`,
/// `trusts` and `verify` are called only by `bleota_receiver_run`. `read` is also called by
/// `bleota_receiver_start` and `bleota_read_record`. Any function may call `now` and `log`.
typedef struct bleota_hooks {
    /// A pointer that is passed to every hook.
    void *context;

    /// Copies bytes out of the flash. Returns 0 on success, or another number on failure. After
    /// a failure, the receiver does nothing that depends on the bytes, and ends the session.
    /// Bytes whose error-correcting code is invalid after a power cut are not a failure. They
    /// may be read as any value, because the receiver detects that they are wrong.
    int32_t (*read)(void *context, uint32_t address, void *bytes, uint32_t byte_count);

    /// Programs bytes that have been erased, each of them once. The address and the length are
    /// multiples of `write_byte_count`, and `bytes` is aligned to 4 bytes. Returns 0 when the bytes
    /// are durable, or another number on failure.
    int32_t (*write)(void *context, uint32_t address, const void *bytes, uint32_t byte_count);

    /// Erases one page, all of which then reads as 0xFF. Returns 0 when this is durable, or
    /// another number on failure.
    int32_t (*erase)(void *context, uint32_t address);

    /// Passes a control frame of 1 to 79 bytes to the link, which copies it. Returns false if
    /// the link is full. The receiver then keeps the frame and tries again when it next runs.
    bool (*send)(void *context, const void *frame, uint32_t byte_count);

    /// Returns whether the device has the public key with this ID, which is the first 8 bytes
    /// of its SHA-256, and trusts it. Algorithm 1 is Ed25519, with keys of 32 bytes. Algorithm
    /// 2 is ECDSA over P-256 with SHA-256, with keys of 65 bytes: 4, X and Y. Return false for
    /// an algorithm that the device does not support, and for a key of the other algorithm. If
    /// the hook is null, no key is trusted.
    bool (*trusts)(void *context, const uint8_t *key_id, uint32_t algorithm);

    /// Returns whether a signature is valid for these 48 bytes and a key for which `trusts`
    /// returned true. A signature is 64 bytes long with either algorithm. For P-256, it consists of
    /// r and s, and the signed message is the 48 bytes or their SHA-256, whichever the library
    /// expects. The hook must be set if and only if `trusts` is set.
    bool (*verify)(void *context, const uint8_t *key_id, uint32_t algorithm, const uint8_t *message,
        const uint8_t *signature, uint32_t signature_byte_count);

    /// Returns the time since an arbitrary fixed moment, in microseconds. It must never go
    /// back, not even after 71 minutes: all 64 bits are significant.
    uint64_t (*now)(void *context);

    /// Records an event in a log. May be null.
    void (*log)(void *context, bleota_event event, uint32_t number);
} bleota_hooks;

/// The layout of the flash. The receiver never writes or erases anything outside the three
/// areas. Each area begins at a multiple of the page size, is less than 512 MiB, and does not
/// overlap another.
typedef struct bleota_flash {
    /// The number of bytes that are erased at once: a power of two, 256 to 131,072.
    uint32_t page_byte_count;
    /// The smallest number of bytes that can be programmed at once: a power of two, 1 to 64.
    uint32_t write_byte_count;
    /// The address and the size of the area for a new image. The size is a multiple of the page
    /// size. If the device has two slots, it is the one that the device does not run from. With
    /// a boot loader that swaps slots, it is the second slot.
    uint32_t slot_address;
    uint32_t slot_byte_count;
    /// The address and the size of the area for the manifest. The size is a multiple of the
    /// page size. A manifest takes 50 bytes, plus its attributes and signatures (76 bytes for a
    /// signature), plus 16 bytes for each block of the image.
    uint32_t manifest_address;
    uint32_t manifest_byte_count;
    /// The address of two pages for the record of the contents of the slots.
    uint32_t record_address;
} bleota_flash;

/// What a device states in signed receipts, by which it proves what it runs to whoever has its
/// public key (`bleota_receiver_prove`). The device may change every member between two calls,
/// except `memory`.
typedef struct bleota_receipts {
    /// Belongs to the library, which keeps the last signature here. Zero at first.
    uint8_t memory[96];
    /// The frame to send, and its length, which is 0 if there is none.
    uint8_t proof[79];
    uint32_t proof_byte_count;
    /// The maximum length of a frame to the sender, as in the setup. 0 stands for 18.
    uint32_t control_byte_count_max;
    /// A pointer that is passed to `sign`.
    void *context;
    /// The algorithm of the device's key: BLEOTA_ALGORITHM_ED25519 or
    /// BLEOTA_ALGORITHM_ECDSA_P256.
    uint32_t algorithm;
    /// The public key: 32 bytes for Ed25519, and 65 bytes for P-256 (4, X and Y).
    const uint8_t *public_key;
    /// The version of the running image, up to 64 bytes of UTF-8 and a zero; null if it is
    /// unknown.
    const char *version;
    /// The SHA-256 of the running image, 32 bytes that begin with the tag given to
    /// `bleota_receiver_set_running`. Null if the tag is null. As long as the two do not agree, the
    /// receiver signs nothing.
    const uint8_t *image_sha256;
    /// Signs these 48 bytes with the device's private key, which is for receipts alone. A signature
    /// is 64 bytes long with either algorithm, as for the hook `verify`. Returns false if the
    /// device can't sign now, or has signed enough lately; the sender asks again after a second.
    /// It is called once for each question, however many frames the receipt takes. Anyone in range
    /// can ask, so a device whose signatures take long should limit their number. It must not call
    /// the receiver.
    bool (*sign)(void *context, const uint8_t *message, uint8_t *signature);
} bleota_receipts;

/// The identity and the configuration of a device. The setup and everything to which it points
/// must not change while the receiver is in use.
typedef struct bleota_setup {
    bleota_hooks hooks;
    bleota_flash flash;
    /// The length of the longest accepted blocks of an image: a power of two, 256 to 65,536. It
    /// must not be less than the block length of the sender, which is 4,096 by default. 0
    /// stands for 4,096. An image with shorter blocks is accepted only if it does not have more
    /// blocks than the receiver can track. The receiver can track at least as many blocks as fit in
    /// the slot at the longest accepted length.
    uint32_t block_byte_count_max;
    /// The maximum length of a frame to the sender, 18 to 79 bytes. Over GATT, it is the ATT_MTU
    /// minus 3, at most 79. A smaller number is safe, but shortens bitmaps. 0 stands for 18.
    uint32_t control_byte_count_max;
    /// The epoch of the first ACK: any number, preferably a different one after each start.
    uint8_t first_epoch;
    /// Whether an image without a signature by a trusted key is accepted.
    bool takes_unsigned;
    /// The hardware of the device, as `vendor/hardware`, and its revision. If it is null, the
    /// device refuses every image that names hardware. The name must contain one `/` with at
    /// least one byte on each side. No image can be signed for any other name, so no signed
    /// image would be accepted.
    const char *hardware;
    uint16_t revision;
    /// The component of the device that this receiver updates, or null if it has no component.
    const char *component;
    /// The lowest security counter that is accepted. The record may require a higher one.
    uint32_t counter_min;
} bleota_setup;

/// The record in flash that describes the contents of a slot. If there are two records, the one
/// with the higher sequence is valid.
typedef struct bleota_record {
    /// The number of records that have been written.
    uint32_t sequence;
    /// The lowest security counter that is accepted.
    uint32_t counter;
    /// The address of the slot that this record describes.
    uint32_t slot_address;
    /// The length of the verified image in this slot. If it is 0, the slot no longer has one,
    /// and the contents of another slot apply.
    uint32_t image_byte_count;
    /// The SHA-256 of the image.
    uint8_t image_sha256[32];
} bleota_record;

/// The current state of a receiver.
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

/// The status of a receiver.
typedef struct bleota_status {
    bleota_phase phase;
    /// The reason the last session ended, a `bleota_reason`, or BLEOTA_NOT_ENDED before any
    /// session has ended.
    uint16_t last_ending;
    /// The number of durable bytes of the image and its total length, or 0 and 0 if there is no
    /// image.
    uint32_t durable_byte_count;
    uint32_t image_byte_count;
} bleota_status;

#endif
