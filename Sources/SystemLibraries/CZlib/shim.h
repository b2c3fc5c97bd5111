// What Swift sees of zlib.
#include <zlib.h>
