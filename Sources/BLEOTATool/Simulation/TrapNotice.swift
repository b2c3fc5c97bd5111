import Glibc

/// Prints the seed of a transfer that traps: a broken invariant ends the process on the spot, so
/// nothing else could report the seed.
enum TrapNotice {
    /// The signals that end a process that traps or is aborted.
    private static let signals = [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGSEGV]

    /// Each thread's message, which a signal handler can access without a lock or an allocation.
    private static let words: pthread_key_t = {
        var key = pthread_key_t()
        precondition(pthread_key_create(&key, nil) == 0, "a process has 1,024 keys")
        return key
    }()

    private static let installation: Void = {
        _ = words
        for number in signals { signal(number) { number in tell(number) } }
    }()

    /// Runs a transfer; if it traps, the last output is its seed.
    static func naming<R>(_ seed: UInt64, _ transfer: () -> R) -> R {
        _ = installation
        let text = strdup(
            "\nbleota: A simulated transfer trapped; repeat it with bleota simulate --seed "
                + "\(seed).\n"
        )
        pthread_setspecific(words, text)
        defer {
            pthread_setspecific(words, nil)
            free(text)
        }
        return transfer()
    }

    /// The handler runs on the thread that trapped.
    private static func tell(_ number: Int32) {
        if let text = pthread_getspecific(words)?.assumingMemoryBound(to: CChar.self) {
            _ = write(STDERR_FILENO, text, strlen(text))
        }
        // When the handler returns, the instruction traps again, which now ends the process.
        signal(number, SIG_DFL)
    }
}
