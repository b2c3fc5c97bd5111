import Glibc

/// Prints the seed of a transfer that traps. A broken invariant ends the process at once, so the
/// seed would otherwise be unknown.
enum TrapNotice {
    /// The signals that end a process that traps or aborts.
    private static let signals = [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGSEGV]

    /// The notice of each thread, which a signal handler can read without a lock or an allocation.
    private static let words: pthread_key_t = {
        var key = pthread_key_t()
        precondition(pthread_key_create(&key, nil) == 0, "a process has 1,024 keys")
        return key
    }()

    private static let installation: Void = {
        _ = words
        for number in signals { signal(number) { number in tell(number) } }
    }()

    /// Runs a transfer. If it traps, its seed is printed last.
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

    /// Prints the notice. The handler runs on the thread that trapped.
    private static func tell(_ number: Int32) {
        if let text = pthread_getspecific(words)?.assumingMemoryBound(to: CChar.self) {
            _ = write(STDERR_FILENO, text, strlen(text))
        }
        // When the handler returns, the trap repeats and ends the process.
        signal(number, SIG_DFL)
    }
}
