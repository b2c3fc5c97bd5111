// How often the calling thread has asked for memory since it began.
//
// Linking this target puts its malloc and its relatives in the place of the C library's, for the
// whole program; they count and then call those.
#ifndef ALLOCATION_COUNT_H
#define ALLOCATION_COUNT_H

unsigned long long allocation_count(void);

#endif
