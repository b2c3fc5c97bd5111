// What Swift sees of libdbus-1, and of eventfd, which the module Glibc does not include.
#include <dbus/dbus.h>
#include <sys/eventfd.h>
