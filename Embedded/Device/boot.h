#ifndef BOOT_H
#define BOOT_H

/// What a boot loader does with the receiver's record: it takes the new image if the record names
/// one and the flash holds it, and else what ran before.

#include "bleota_receiver.h"

#include <stdbool.h>

/// What was started.
typedef struct boot_choice {
    bool is_from_slot;
    uint32_t byte_count;
    uint8_t sha256[32];
} boot_choice;

boot_choice boot_choose(const bleota_setup *setup);

#endif
