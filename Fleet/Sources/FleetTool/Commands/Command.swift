import Dispatch
import Glibc
import Synchronization

/// Runs the work of a command, and turns signals into the cancellation of its task.
enum Command {
    /// Runs a command.
    ///
    /// - Parameter isService: whether SIGTERM and SIGHUP are the normal way to end, and count as
    ///   success.
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
            if isService, number != SIGINT { return try Console.requireCompleteOutput() }
            throw ToolFailure(ExitStatus(signal: number), "stopped by a signal")
        }
        if let failure { throw failure }
        try Console.requireCompleteOutput()
    }
}

/// SIGINT, SIGTERM and SIGHUP. The first cancels the task; the second ends the process at once.
///
/// A SIGHUP that is ignored at the start, as with nohup, stays ignored.
private struct Interruption {
    private final class First: Sendable {
        let number = Mutex<Int32?>(nil)
    }

    private let first = First()
    private let sources: [any DispatchSourceSignal]

    init(cancelling task: Task<ToolFailure?, Never>) {
        let numbers = [SIGINT, SIGTERM] + (Self.isIgnored(SIGHUP) ? [] : [SIGHUP])
        sources = numbers.map { [first] number in
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

    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    /// The first signal, if any came.
    var signalNumber: Int32? { first.number.withLock { $0 } }

    func end() { for source in sources { source.cancel() } }
}
