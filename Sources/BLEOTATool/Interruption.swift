import Dispatch
import Glibc

/// Turns SIGINT and SIGTERM into the cancellation of a task: the first asks politely, so that the
/// peer is told and everything durable stays; the second ends the process at once.
struct Interruption {
    private let sources: [any DispatchSourceSignal]

    /// - Parameter onFirst: is called before the task is cancelled.
    init(cancelling task: Task<Void, any Error>, onFirst: @escaping @Sendable () -> Void) {
        // Who watches the progress may leave: the transfer goes on.
        signal(SIGPIPE, SIG_IGN)
        sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            // Both run on this source's queue, one after the other.
            let isFirst = FirstTime()
            source.setEventHandler {
                if !isFirst.take() { _exit(ExitStatus.signalled.rawValue) }
                onFirst()
                task.cancel()
            }
            source.resume()
            return source
        }
    }

    func end() { for source in sources { source.cancel() } }
}
