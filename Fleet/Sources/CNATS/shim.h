// What Swift sees of libnats.
#include <nats/nats.h>
