import Synchronization

/// The subscription state of a characteristic and its queue of indications.
final class Subscribers: Sendable {
    private struct State {
        var isAny = false
        /// The pending indications; the first is in flight.
        var indications: [Indication] = []
    }

    private let state = Mutex(State())
    private let onChange: @Sendable (Subscribers, Bool) -> Void

    /// - Parameter onChange: called on the bus's thread when the first subscriber arrives and
    ///   when the last one leaves.
    init(onChange: @escaping @Sendable (Subscribers, Bool) -> Void) { self.onChange = onChange }

    /// Whether there is a subscriber.
    var isAny: Bool { state.withLock { $0.isAny } }

    /// Records a new subscriber. Called on the bus's thread. The daemon (5.66) reports the start of
    /// each subscription, but only the end of the last one.
    func take() {
        let isFirst = state.withLock { state in
            defer { state.isAny = true }
            return !state.isAny
        }
        if isFirst { onChange(self, true) }
    }

    /// Records that all subscribers have left, or that the daemon or the adapter is gone. Called on
    /// the bus's thread.
    func reset() {
        let (wasAny, abandoned) = state.withLock { state in
            defer { state.isAny = false }
            return (state.isAny, state.indications)
        }
        guard wasAny else { return }
        onChange(self, false)
        for indication in abandoned { indication.end(.failure(.disconnected)) }
    }

    /// Records a peer's confirmation of the indication in flight.
    func confirm() {
        let first = state.withLock { $0.indications.first }
        first?.confirmation.end(.success(()))
    }

    /// Queues an indication, and starts it if it is the only one.
    func add(_ indication: Indication) {
        let isFirst = state.withLock { state in
            state.indications.append(indication)
            return state.indications.count == 1
        }
        if isFirst { indication.turn.end(.success(())) }
    }

    /// Removes an indication, and starts the next one.
    func remove(_ indication: Indication) {
        let next = state.withLock { state -> Indication? in
            let wasFirst = state.indications.first === indication
            state.indications.removeAll { $0 === indication }
            return wasFirst ? state.indications.first : nil
        }
        next?.turn.end(.success(()))
    }
}
