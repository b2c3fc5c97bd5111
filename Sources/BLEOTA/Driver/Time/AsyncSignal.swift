import Synchronization

/// Lets one task sleep until another signals that there is work. A signal that is sent while the
/// task is awake is not lost: the next wait returns at once.
final class AsyncSignal: Sendable {
    private enum State {
        case quiet
        case called
        case waiting(UnsafeContinuation<Void, Never>)
    }

    private let state = Mutex(State.quiet)

    func call() {
        let sleeper = state.withLock { state -> UnsafeContinuation<Void, Never>? in
            switch state {
            case .quiet, .called:
                state = .called
                return nil
            case .waiting(let continuation):
                state = .quiet
                return continuation
            }
        }
        sleeper?.resume()
    }

    /// Waits until ``call()`` is called; returns at once if it has been called since the last wait.
    /// Only one task may wait.
    func wait() async {
        await withUnsafeContinuation { continuation in
            let isCalled = state.withLock { state -> Bool in
                switch state {
                case .called:
                    state = .quiet
                    return true
                case .quiet:
                    state = .waiting(continuation)
                    return false
                case .waiting: preconditionFailure("two tasks wait for the same signal")
                }
            }
            if isCalled { continuation.resume() }
        }
    }
}
