// What Swift sees of libcbor.
#include <cbor.h>
