import Dispatch
import Glibc
import Synchronization

/// SIGINT, SIGTERM and SIGHUP. The first cancels the task; the second ends the process at once.
///
/// A SIGHUP that is ignored at the start, as with nohup, stays ignored. Until Dispatch has begun to
/// listen, a signal ends the process as it does any other; ignored for that time, it would be lost.
struct Interruption {
    private final class First: Sendable {
        let number = Mutex<Int32?>(nil)
    }

    private let first = First()
    private let sources: [any DispatchSourceSignal]

    init(cancelling task: Task<ToolFailure?, Never>) {
        let numbers = [SIGINT, SIGTERM] + (Self.isIgnored(SIGHUP) ? [] : [SIGHUP])
        sources = numbers.map { [first] number in
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
