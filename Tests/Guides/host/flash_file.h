#ifndef FLASH_FILE_H
#define FLASH_FILE_H

/// NOR flash in a file, which the environment's BLEOTA_FLASH names: it reads 0xFF once erased, and
/// is written once between two erasures. Whoever breaks that ends the process with a message. A
/// process that is killed leaves what it had written: bytes go there in pieces, as in a chip.

#include <stdint.h>

enum { FLASH_PAGE_BYTE_COUNT = 4096 };

/// Opens the file; makes an erased one of this length where there is none.
void flash_file_open(uint32_t byte_count);

void flash_file_read(uint32_t address, void *bytes, uint32_t byte_count);

/// Address and length are multiples of 4.
void flash_file_write(uint32_t address, const void *bytes, uint32_t byte_count);

/// Address and length are multiples of a page.
void flash_file_erase(uint32_t address, uint32_t byte_count);

/// What a boot loader does in many steps that it can resume: all of the flash is replaced at once.
void flash_file_replace(const void *bytes);

#endif
