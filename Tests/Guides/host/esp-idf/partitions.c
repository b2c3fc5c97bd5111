/// Partitions of ESP-IDF on this machine, as the guide's partitions.csv has them, and a model of its
/// boot loader with rollback. The partition otadata holds one structure here, which is written at once.

#include "partitions.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "esp_ota_ops.h"
#include "flash_file.h"

enum {
    FLASH_BYTE_COUNT = 0x400000,
    PARTITION_COUNT_MAX = 8,
    /// The first byte of an image.
    IMAGE_MAGIC = 0xE9,
};

static esp_partition_t partitions[PARTITION_COUNT_MAX];
static int partition_count;

/// Which of ota_0 and ota_1 is to be started, and in what state.
typedef struct choice {
    uint32_t slot;
    uint32_t state;
} choice;

static choice running;

static esp_partition_t *named(const char *label) {
    for (int i = 0; i < partition_count; i++) {
        if (strcmp(partitions[i].label, label) == 0) {
            return &partitions[i];
        }
    }
    fprintf(stderr, "partitions: there is no partition %s\n", label);
    abort();
}

static void read_table(void) {
    const char *path = getenv("BLEOTA_PARTITIONS");
    FILE *table = path == NULL ? NULL : fopen(path, "r");
    char line[256], type[16];

    if (table == NULL) {
        fprintf(stderr, "partitions: BLEOTA_PARTITIONS names no table\n");
        abort();
    }
    while (fgets(line, sizeof line, table) != NULL) {
        esp_partition_t *next = &partitions[partition_count];

        if (line[0] == '#') {
            continue;
        }
        if (partition_count == PARTITION_COUNT_MAX ||
            sscanf(line, "%16[^,], %15[^,], %*[^,], %i, %i", next->label, type, (int *)&next->address,
                (int *)&next->size) != 4 || next->address + next->size > FLASH_BYTE_COUNT) {
            abort();
        }
        next->type = strcmp(type, "app") == 0 ? ESP_PARTITION_TYPE_APP : ESP_PARTITION_TYPE_DATA;
        next->erase_size = FLASH_PAGE_BYTE_COUNT;
        partition_count++;
    }
    fclose(table);
}

static choice read_choice(void) {
    choice read;

    flash_file_read(named("otadata")->address, &read, sizeof read);
    // Erased: the first slot, without a state.
    return read.slot < 2 ? read : (choice) { 0, ESP_OTA_IMG_UNDEFINED };
}

static void write_choice(choice new) {
    static uint8_t flash[FLASH_BYTE_COUNT];

    flash_file_read(0, flash, FLASH_BYTE_COUNT);
    memcpy(flash + named("otadata")->address, &new, sizeof new);
    flash_file_replace(flash);
}

void partitions_start(void) {
    flash_file_open(FLASH_BYTE_COUNT);
    read_table();
    running = read_choice();
    if (running.state == ESP_OTA_IMG_NEW) {
        running.state = ESP_OTA_IMG_PENDING_VERIFY;
        write_choice(running);
    } else if (running.state == ESP_OTA_IMG_PENDING_VERIFY) {
        // It was on trial and did not say that it works.
        running = (choice) { 1 - running.slot, ESP_OTA_IMG_VALID };
        write_choice(running);
    }
}

static const esp_partition_t *slot(uint32_t number) { return named(number == 0 ? "ota_0" : "ota_1"); }

const esp_partition_t *esp_ota_get_running_partition(void) { return slot(running.slot); }

const esp_partition_t *esp_ota_get_boot_partition(void) { return slot(read_choice().slot); }

const esp_partition_t *esp_ota_get_next_update_partition(const esp_partition_t *start_from) {
    if (start_from != NULL) {
        abort();
    }
    return slot(1 - running.slot);
}

esp_err_t esp_ota_set_boot_partition(const esp_partition_t *partition) {
    uint8_t first;

    flash_file_read(partition->address, &first, 1);
    if (first != IMAGE_MAGIC) {
        // ESP_ERR_OTA_VALIDATE_FAILED
        return 0x1503;
    }
    write_choice((choice) { partition == slot(1), ESP_OTA_IMG_NEW });
    return ESP_OK;
}

esp_err_t esp_ota_get_state_partition(const esp_partition_t *partition, esp_ota_img_states_t *ota_state) {
    choice now = read_choice();

    if (partition != slot(now.slot) || now.state == ESP_OTA_IMG_UNDEFINED) {
        return ESP_ERR_NOT_FOUND;
    }
    *ota_state = now.state;
    return ESP_OK;
}

esp_err_t esp_ota_mark_app_valid_cancel_rollback(void) {
    if (running.state == ESP_OTA_IMG_PENDING_VERIFY) {
        running.state = ESP_OTA_IMG_VALID;
        write_choice(running);
    }
    return ESP_OK;
}

const esp_partition_t *esp_partition_find_first(esp_partition_type_t type, esp_partition_subtype_t subtype,
    const char *label) {
    const esp_partition_t *found = named(label);

    return found->type == type && subtype == ESP_PARTITION_SUBTYPE_ANY ? found : NULL;
}

static bool is_within(const esp_partition_t *partition, size_t offset, size_t size) {
    return offset <= partition->size && size <= partition->size - offset;
}

esp_err_t esp_partition_read(const esp_partition_t *partition, size_t src_offset, void *dst, size_t size) {
    if (!is_within(partition, src_offset, size)) {
        return ESP_ERR_INVALID_SIZE;
    }
    flash_file_read(partition->address + (uint32_t)src_offset, dst, (uint32_t)size);
    return ESP_OK;
}

esp_err_t esp_partition_write(const esp_partition_t *partition, size_t dst_offset, const void *src, size_t size) {
    if (!is_within(partition, dst_offset, size) || partition == esp_ota_get_running_partition()) {
        return ESP_ERR_INVALID_SIZE;
    }
    flash_file_write(partition->address + (uint32_t)dst_offset, src, (uint32_t)size);
    return ESP_OK;
}

esp_err_t esp_partition_erase_range(const esp_partition_t *partition, size_t offset, size_t size) {
    if (!is_within(partition, offset, size) || partition == esp_ota_get_running_partition()) {
        return ESP_ERR_INVALID_SIZE;
    }
    flash_file_erase(partition->address + (uint32_t)offset, (uint32_t)size);
    return ESP_OK;
}
