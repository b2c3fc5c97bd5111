import Glibc

/// Runs the work of a command, and turns signals into the cancellation of its task.
enum Command {
    /// Runs a command.
    ///
    /// - Parameters:
    ///   - isService: whether SIGTERM and SIGHUP are the normal way to end, and count as success.
    ///   - server: the servers that it asks. If it fails as they do without a leader, the failure
    ///     names those that do not answer.
    static func run(
        isService: Bool = false,
        on server: ServerOptions? = nil,
        _ work: @escaping @Sendable () async throws(ToolFailure) -> Void
    ) async throws(ToolFailure) {
        // A reader of the output may leave; what it misses is reported by ``Console.requireCompleteOutput()``.
        signal(SIGPIPE, SIG_IGN)
        let task = Task.detached { () async -> ToolFailure? in
            do throws(ToolFailure) {
                try await work()
                return nil
            } catch {
                return await server?.explanation(of: error) ?? error
            }
        }
        let first = Interruption(cancelling: task)
        defer { first.end() }
        let failure = await task.value
        if let number = first.signalNumber {
            if isService, number != SIGINT { return try Console.requireCompleteOutput() }
            throw ToolFailure(ExitStatus(signal: number), "stopped by a signal")
        }
        if let failure { throw failure }
        try Console.requireCompleteOutput()
    }

    /// Ends the process without the handlers of `exit`: OpenSSL's frees its locks, which threads of
    /// the NATS library may still take.
    static func end(with status: ExitStatus) -> Never {
        fflush(nil)
        _exit(status.rawValue)
    }
}
