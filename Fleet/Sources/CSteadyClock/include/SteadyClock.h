// libnats ends its waits by the clock of the wall. This gives it one that nobody sets.
//
// libnats takes the time from clock_gettime(CLOCK_REALTIME) and waits with pthread_cond_timedwait,
// for which there is no option. If somebody sets the clock back by an hour, a wait of 5 s takes an
// hour and 5 s, unless an answer comes: reconnections, pings, and requests whose server is gone. So
// this defines both functions. The linker exports them, as libnats needs them, and the loader takes
// those of the program before those of the C library. Callers other than libnats get what they
// asked for.
//
// There is nothing to call here.
