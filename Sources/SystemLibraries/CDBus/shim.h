// What Swift sees of libdbus-1, and the one function of Linux that its C library shows only here.
#include <dbus/dbus.h>
#include <sys/eventfd.h>
