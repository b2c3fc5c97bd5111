import Dispatch
import Glibc
import Synchronization

/// Runs the work of a command, and turns signals into the cancellation of its task.
enum Command {
    /// Runs a command.
    ///
    /// - Parameter isService: whether a signal is the normal way to end, and counts as success.
    static func run(
        isService: Bool = false,
        _ work: @escaping @Sendable () async throws(ToolFailure) -> Void
    ) async throws(ToolFailure) {
        // A reader of the output may leave; what it misses is reported by ``Console.requireCompleteOutput()``.
        signal(SIGPIPE, SIG_IGN)
        let task = Task.detached { () async -> ToolFailure? in
            do throws(ToolFailure) {
                try await work()
                return nil
            } catch {
                return error
            }
        }
        let first = Interruption(cancelling: task)
        defer { first.end() }
        let failure = await task.value
        if let number = first.signalNumber {
            if isService { return try Console.requireCompleteOutput() }
            throw ToolFailure(number == SIGTERM ? .terminated : .interrupted, "stopped by a signal")
        }
        if let failure { throw failure }
        try Console.requireCompleteOutput()
    }
}

/// SIGINT and SIGTERM. The first cancels the task; the second ends the process at once.
private struct Interruption {
    private final class First: Sendable {
        let number = Mutex<Int32?>(nil)
    }

    private let first = First()
    private let sources: [any DispatchSourceSignal]

    init(cancelling task: Task<ToolFailure?, Never>) {
        sources = [SIGINT, SIGTERM].map { [first] number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler {
                let isFirst = first.number.withLock { known in
                    defer { known = known ?? number }
                    return known == nil
                }
                if !isFirst { _exit(128 + number) }
                task.cancel()
            }
            source.resume()
            return source
        }
    }

    /// The first signal, if any came.
    var signalNumber: Int32? { first.number.withLock { $0 } }

    func end() { for source in sources { source.cancel() } }
}
