/*
 * SPDX-License-Identifier: Apache-2.0
 *
 * The slot and the state of bleota in partitions of ESP-IDF, and its boot loader.
 *
 * Addresses are those of the main flash, so that a record names the partition it is about: the
 * slot is another one after each update.
 */
#include "bleota_partitions.h"

#include <string.h>

#include "esp_ota_ops.h"
#include "esp_partition.h"

#define STATE_LABEL "bleota"
#define RECORD_PAGE_COUNT 2
#define WRITE_BYTE_COUNT 4
#define ENCRYPTED_WRITE_BYTE_COUNT 16

static const esp_partition_t *slot;
static const esp_partition_t *state;

/* The partition that has these bytes; null if none of the two has. */
static const esp_partition_t *partition_of(uint32_t address, uint32_t byte_count)
{
    const esp_partition_t *both[] = {slot, state};

    for (int i = 0; i < 2; i++) {
        uint32_t offset = address - both[i]->address;

        if (address >= both[i]->address && offset <= both[i]->size &&
            byte_count <= both[i]->size - offset) {
            return both[i];
        }
    }
    return NULL;
}

static int32_t read(void *context, uint32_t address, void *bytes, uint32_t byte_count)
{
    const esp_partition_t *partition = partition_of(address, byte_count);

    (void)context;
    return partition == NULL ? ESP_ERR_INVALID_ARG
                             : esp_partition_read(partition, address - partition->address, bytes,
                                                  byte_count);
}

static int32_t write(void *context, uint32_t address, const void *bytes, uint32_t byte_count)
{
    const esp_partition_t *partition = partition_of(address, byte_count);

    (void)context;
    return partition == NULL ? ESP_ERR_INVALID_ARG
                             : esp_partition_write(partition, address - partition->address, bytes,
                                                   byte_count);
}

static int32_t erase(void *context, uint32_t address)
{
    uint32_t byte_count = slot->erase_size;
    const esp_partition_t *partition = partition_of(address, byte_count);

    (void)context;
    return partition == NULL ? ESP_ERR_INVALID_ARG
                             : esp_partition_erase_range(partition, address - partition->address,
                                                         byte_count);
}

esp_err_t bleota_partitions_open(bleota_setup *setup)
{
    uint32_t manifest_byte_count;

    slot = esp_ota_get_next_update_partition(NULL);
    state = esp_partition_find_first(ESP_PARTITION_TYPE_DATA, ESP_PARTITION_SUBTYPE_ANY,
                                     STATE_LABEL);
    if (slot == NULL || state == NULL) {
        return ESP_ERR_NOT_FOUND;
    }
    if (slot->erase_size != state->erase_size ||
        state->size < (RECORD_PAGE_COUNT + 1) * state->erase_size) {
        return ESP_ERR_INVALID_SIZE;
    }
    /* All pages of the state but the last two, which have the record. */
    manifest_byte_count = state->size - RECORD_PAGE_COUNT * state->erase_size;
    setup->flash = (bleota_flash){
        .page_byte_count = slot->erase_size,
        .write_byte_count = slot->encrypted || state->encrypted ? ENCRYPTED_WRITE_BYTE_COUNT
                                                                : WRITE_BYTE_COUNT,
        .slot_address = slot->address,
        .slot_byte_count = slot->size,
        .manifest_address = state->address,
        .manifest_byte_count = manifest_byte_count,
        .record_address = state->address + manifest_byte_count,
    };
    setup->hooks.read = read;
    setup->hooks.write = write;
    setup->hooks.erase = erase;
    return ESP_OK;
}

/* The address of a partition; 0, where none begins, for null. */
static uint32_t address_of(const esp_partition_t *partition)
{
    return partition == NULL ? 0 : partition->address;
}

void bleota_partitions_running(const bleota_setup *setup, bleota_running *running, uint8_t tag[8])
{
    bleota_record record;

    *running = BLEOTA_RUNNING_UNKNOWN;
    memset(tag, 0, 8);
    if (bleota_read_record(setup, &record) != BLEOTA_OK || record.image_byte_count == 0) {
        return;
    }
    if (record.slot_address == address_of(esp_ota_get_running_partition())) {
        *running = bleota_partitions_on_trial() ? BLEOTA_RUNNING_ON_TRIAL
                                                : BLEOTA_RUNNING_CONFIRMED;
        memcpy(tag, record.image_sha256, 8);
    } else if (record.slot_address == address_of(esp_ota_get_boot_partition())) {
        *running = BLEOTA_RUNNING_INSTALLING;
    } else {
        *running = BLEOTA_RUNNING_FAILED;
    }
}

bool bleota_partitions_on_trial(void)
{
    const esp_partition_t *running = esp_ota_get_running_partition();
    esp_ota_img_states_t image_state;

    /* A factory image has no state: it is not on trial. */
    return running != NULL && esp_ota_get_state_partition(running, &image_state) == ESP_OK &&
           image_state == ESP_OTA_IMG_PENDING_VERIFY;
}

esp_err_t bleota_partitions_install(const bleota_setup *setup, bool *is_needed)
{
    bleota_record record;
    esp_err_t error;

    *is_needed = false;
    if (bleota_read_record(setup, &record) != BLEOTA_OK || record.image_byte_count == 0) {
        return ESP_ERR_NOT_FOUND;
    }
    if (record.slot_address == address_of(esp_ota_get_running_partition())) {
        return ESP_OK;
    }
    if (record.slot_address != slot->address || bleota_partitions_on_trial()) {
        return ESP_ERR_INVALID_STATE;
    }
    /* Checks the image as the boot loader will, and fails if it would not run it. */
    error = esp_ota_set_boot_partition(slot);
    *is_needed = error == ESP_OK;
    return error;
}
