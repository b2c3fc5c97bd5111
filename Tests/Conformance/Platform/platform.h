// What the vectors need of the machine that they run on; each file of this folder that ends in a
// machine's name is one answer.
#ifndef PLATFORM_H
#define PLATFORM_H

#include <stdint.h>

// Writes text to the output of whoever runs the program.
void platform_write(const void *bytes, uint32_t byte_count);

// The vectors as pack.py writes them, linked in.
const uint8_t *platform_vectors(void);
uint32_t platform_vectors_byte_count(void);

// Memory of zeros: 6 KiB for a receiver and its store, or as much as the longest manifest that is
// packed. Of one of 32 MiB there may be a hole in the middle: nobody looks at the hashes there.
uint8_t *platform_room(void);
uint32_t platform_room_byte_count(void);

// The program itself, in Swift: the number of vectors that failed.
int32_t conformance_run(void);

#endif
