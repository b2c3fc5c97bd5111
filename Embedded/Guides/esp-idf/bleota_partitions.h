/*
 * SPDX-License-Identifier: Apache-2.0
 *
 * The partitions of the update, and the boot loader. Everything here is called by bleota's task.
 */
#ifndef BLEOTA_PARTITIONS_H
#define BLEOTA_PARTITIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "bleota_receiver.h"
#include "esp_err.h"

/* Fills in where things are in the flash, and its hooks. */
esp_err_t bleota_partitions_open(bleota_setup *setup);

/* What STATUS says: the state, and the first 8 bytes of the SHA-256 of what runs. */
void bleota_partitions_running(const bleota_setup *setup, bleota_running *state, uint8_t tag[8]);

/* Whether the boot loader takes back what runs with the next restart. */
bool bleota_partitions_on_trial(void);

/* Asks the boot loader for the image that was verified. *is_needed says whether a restart
 * installs it; false if that image runs already. */
esp_err_t bleota_partitions_install(const bleota_setup *setup, bool *is_needed);

#endif
