/*
 * SPDX-License-Identifier: Apache-2.0
 *
 * The flash of the update, and MCUboot. Everything here is called by bleota's thread.
 */
#ifndef BLEOTA_SLOTS_H
#define BLEOTA_SLOTS_H

#include <stdbool.h>
#include <stdint.h>

#include "bleota_receiver.h"

/* Fills in where things are in the flash, and its hooks. Returns 0, or a negative errno. */
int bleota_slots_open(bleota_setup *setup);

/*
 * What STATUS says: the state, and the first 8 bytes of the SHA-256 of what runs. It hashes
 * slot 0, so keep the answer.
 */
void bleota_slots_running(const bleota_setup *setup, bleota_running *state, uint8_t tag[8]);

/* Whether MCUboot takes back what runs with the next restart. */
bool bleota_slots_on_trial(void);

/* Keeps what runs. Returns 0, or a negative errno. */
int bleota_slots_confirm(void);

/*
 * Asks MCUboot to try the image that was verified. Returns 1 if it will with the next
 * restart, 0 if that image runs already, or a negative errno.
 */
int bleota_slots_install(const bleota_setup *setup);

#endif
