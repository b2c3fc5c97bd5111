#ifndef FIRMWARE_H
#define FIRMWARE_H

/// The exit code of a firmware that wants to be started again, by way of its boot loader.
enum { FIRMWARE_RESTARTS = 64 };

#endif
