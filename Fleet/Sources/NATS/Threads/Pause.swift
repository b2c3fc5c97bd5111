import Glibc

/// Waits 100 ms on a thread that may block: until then a server that has just said no hardly says
/// yes, and a person hardly notices.
func pauseBriefly() { usleep(100_000) }
