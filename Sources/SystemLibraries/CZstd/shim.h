// What Swift sees of Zstandard.
#include <zstd.h>
