#ifndef PARTITIONS_H
#define PARTITIONS_H

/// Opens the flash, and lets the boot loader choose what runs.
void partitions_start(void);

#endif
