#ifndef OPTIONS_H
#define OPTIONS_H

/// What whoever starts the device asks of it: words on the semihosting command line, after the
/// first.

#include <stdbool.h>
#include <stdint.h>

typedef struct options_values {
    uint32_t cut;                // cut=N: the power fails during operation N, once
    uint32_t cut_from;           // cutfrom=N: the same, in the next transfer during N + 1, …
    uint32_t cut_every;          // cutevery=N: during operation N after each start
    uint32_t tear;               // tear=N: other numbers leave other remains
    uint32_t fail;               // fail=N: operation N does nothing and says so, once
    bool exits_at_cut;           // exit: a power cut ends the emulator
    uint32_t erase_microseconds; // erase_us=N: what erasing a page takes
    uint32_t write_microseconds; // write_us=N: what programming a unit takes
    bool is_quiet;               // quiet: nothing is logged of a session but its end
    const char *flash_path;      // flash=FILE: the flash is that file of the host
    const char *dump_path;       // dump=FILE: where a verified image is written
    const char *trust_path;      // trust=FILE: the key whose owner's images are taken, 65 bytes
} options_values;

extern options_values options;

/// Reads the command line. A word that means nothing ends the device: it would be a mistake.
void options_read(void);

#endif
