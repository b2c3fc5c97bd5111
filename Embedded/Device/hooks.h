#ifndef HOOKS_H
#define HOOKS_H

/// What the receiver asks of the device, but for the flash, and what it has said of its session.

#include "bleota_receiver.h"

#include <stdbool.h>
#include <stdint.h>

/// Everything that the receiver is told about the device.
extern const bleota_setup device_setup;

/// The session, as the receiver logged it.
typedef struct session_account {
    bool has_ended;
    uint32_t reason;
    uint32_t resumed_byte_count; // what was held when the image began
    uint32_t durable_byte_count;
    uint32_t rejected_block_count;
    uint32_t flash_failure_count;
} session_account;

extern session_account session;

#endif
