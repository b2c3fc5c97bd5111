// The packed vectors, where constants lie.
#include "platform.h"

__asm__(".section .rodata\n"
        ".balign 4\n"
        "vectors_begin:\n"
        ".incbin \"" VECTORS "\"\n"
        "vectors_end:\n"
        ".byte 0\n"
        ".text\n");

extern const uint8_t vectors_begin[], vectors_end[];

const uint8_t *platform_vectors(void) { return vectors_begin; }

uint32_t platform_vectors_byte_count(void) { return (uint32_t)(vectors_end - vectors_begin); }
