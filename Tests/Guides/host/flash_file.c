#include "flash_file.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    WRITE_BYTE_COUNT = 4,
    /// What a power cut leaves whole. Of an nRF52840 it is a word; here it is what one call costs.
    PIECE_BYTE_COUNT = 512,
    /// Of a page. An nRF52840 takes 85 ms; less here, for the sake of the tests' time.
    ERASURE_MICROSECONDS = 4000,
};

static int file = -1;
static uint32_t length;

static void fail(const char *what, uint32_t address) {
    fprintf(stderr, "flash: %s at 0x%x\n", what, address);
    abort();
}

static void make(const char *path, const void *bytes) {
    char other[4096];
    int made;

    snprintf(other, sizeof other, "%s.new", path);
    made = open(other, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (made < 0 || write(made, bytes, length) != (ssize_t)length || rename(other, path) != 0) {
        fail("the file can't be made", 0);
    }
    if (file >= 0) {
        close(file);
    }
    file = made;
}

static const char *path(void) {
    const char *name = getenv("BLEOTA_FLASH");

    if (name == NULL) {
        fail("BLEOTA_FLASH names no file", 0);
    }
    return name;
}

void flash_file_open(uint32_t byte_count) {
    length = byte_count;
    file = open(path(), O_RDWR | O_CLOEXEC);
    if (file < 0) {
        void *erased = malloc(length);

        memset(erased, 0xFF, length);
        make(path(), erased);
        free(erased);
    }
}

void flash_file_replace(const void *bytes) { make(path(), bytes); }

static void require_within(uint32_t address, uint32_t byte_count, uint32_t multiple) {
    if (address > length || byte_count > length - address) {
        fail("an access outside the flash", address);
    }
    if (address % multiple != 0 || byte_count % multiple != 0) {
        fail("a misaligned access", address);
    }
}

void flash_file_read(uint32_t address, void *bytes, uint32_t byte_count) {
    require_within(address, byte_count, 1);
    if (pread(file, bytes, byte_count, address) != (ssize_t)byte_count) {
        fail("the file can't be read", address);
    }
}

static void put(uint32_t address, const uint8_t *bytes, uint32_t byte_count) {
    uint32_t done = 0;

    while (done < byte_count) {
        uint32_t left = byte_count - done;
        uint32_t piece = left < PIECE_BYTE_COUNT ? left : PIECE_BYTE_COUNT;

        if (pwrite(file, bytes + done, piece, address + done) != (ssize_t)piece) {
            fail("the file can't be written", address);
        }
        done += piece;
    }
}

void flash_file_write(uint32_t address, const void *bytes, uint32_t byte_count) {
    uint8_t there[PIECE_BYTE_COUNT];

    require_within(address, byte_count, WRITE_BYTE_COUNT);
    for (uint32_t at = 0; at < byte_count; at += PIECE_BYTE_COUNT) {
        uint32_t left = byte_count - at;
        uint32_t piece = left < PIECE_BYTE_COUNT ? left : PIECE_BYTE_COUNT;

        flash_file_read(address + at, there, piece);
        for (uint32_t i = 0; i < piece; i++) {
            if (there[i] != 0xFF) {
                fail("written without an erasure before", address + at + i);
            }
        }
    }
    put(address, bytes, byte_count);
}

void flash_file_erase(uint32_t address, uint32_t byte_count) {
    uint8_t erased[FLASH_PAGE_BYTE_COUNT];

    require_within(address, byte_count, FLASH_PAGE_BYTE_COUNT);
    memset(erased, 0xFF, sizeof erased);
    for (uint32_t at = 0; at < byte_count; at += FLASH_PAGE_BYTE_COUNT) {
        usleep(ERASURE_MICROSECONDS);
        put(address + at, erased, FLASH_PAGE_BYTE_COUNT);
    }
}
