#ifndef SEMIHOSTING_H
#define SEMIHOSTING_H

/// What an emulator or a debugger does for the device: text, files, a command line, the end. A
/// device without one leaves this file and its users away: log, options, the file behind the flash,
/// dump.

#include <stdbool.h>
#include <stdint.h>

/// Writes a text that ends with a zero byte.
void semihosting_print(const char *text);

/// The words with which the device was started, separated by spaces; false if they do not fit.
bool semihosting_command_line(char *text, uint32_t byte_count);

typedef enum semihosting_mode {
    SEMIHOSTING_READ = 1,   // "rb"
    SEMIHOSTING_UPDATE = 3, // "r+b": read and write what is there
    SEMIHOSTING_CREATE = 7, // "w+b": read and write, empty at first
} semihosting_mode;

/// A file of the host; negative if it can't be opened.
int32_t semihosting_open(const char *path, semihosting_mode mode);
void semihosting_close(int32_t file);

/// Both false if not all bytes were moved.
bool semihosting_read_at(int32_t file, uint32_t offset, void *bytes, uint32_t byte_count);
bool semihosting_write_at(
    int32_t file, uint32_t offset, const void *bytes, uint32_t byte_count);

/// Ends the emulator with a status.
_Noreturn void semihosting_exit(uint32_t status);

#endif
