import Synchronization

/// A registered handler, which is called as long as this instance exists.
public final class BusSubscription: Sendable {
    private enum State {
        case waiting
        case registered(UInt64)
        case ended
    }

    private let loop: BusLoop
    private let worker: BusWorker
    private let state = Mutex(State.waiting)

    init(_ loop: BusLoop, _ worker: BusWorker) {
        self.loop = loop
        self.worker = worker
    }

    deinit { end() }

    /// Ends the subscription. A call in progress on the connection's thread is not awaited, and
    /// no further call begins.
    public func end() {
        let id = state.withLock { state -> UInt64? in
            defer { state = .ended }
            return if case .registered(let id) = state { id } else { nil }
        }
        if let id { loop.post { [worker] in worker.removeHandler(id) } }
    }

    /// Whether the handler may still be called.
    var isLive: Bool {
        state.withLock { state in if case .ended = state { false } else { true } }
    }

    /// Stores the handler's number. Called on the loop's thread.
    func handlerID(_ id: UInt64) {
        let isEnded = state.withLock { state -> Bool in
            if case .ended = state { return true }
            state = .registered(id)
            return false
        }
        if isEnded { worker.removeHandler(id) }
    }
}
