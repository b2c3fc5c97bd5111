import Dispatch
import Glibc
import Synchronization

/// Turns SIGINT, SIGTERM and SIGHUP into the cancellation of a task. The first signal stops the
/// task in an orderly way: the peer is informed, and everything durable is kept. The same signal
/// again ends the process at once.
///
/// A SIGHUP that is ignored at the start, as with nohup, stays ignored. SIGTSTP and SIGCONT keep
/// their usual effect: a suspended transfer resumes.
///
/// Until Dispatch has begun to listen, a signal ends the process as it does any other; ignored for
/// that time, it would be lost.
struct Interruption {
    /// The first signal.
    private final class First: Sendable {
        let number = Mutex<Int32?>(nil)
    }

    private let first = First()
    private let sources: [any DispatchSourceSignal]

    /// - Parameter onFirst: called before the task is cancelled.
    init(cancelling task: Task<Void, any Error>, onFirst: @escaping @Sendable () -> Void) {
        // A reader of the progress may leave without ending the transfer.
        signal(SIGPIPE, SIG_IGN)
        let numbers = [SIGINT, SIGTERM] + (Self.isIgnored(SIGHUP) ? [] : [SIGHUP])
        sources = numbers.map { [first] number in
            let source = DispatchSource.makeSignalSource(signal: number)
            // Calls of the handler do not overlap: they run on this source's queue.
            let isFirst = FirstTime()
            source.setEventHandler {
                if !isFirst.take() { _exit(ExitStatus(signal: number).rawValue) }
                first.number.withLock { $0 = $0 ?? number }
                onFirst()
                task.cancel()
            }
            source.resume()
            return source
        }
    }

    /// The first signal, if any arrived.
    var signalNumber: Int32? { first.number.withLock { $0 } }

    func end() { for source in sources { source.cancel() } }

    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}
