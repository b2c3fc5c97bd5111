import Synchronization

/// How many subscriptions of a characteristic there are, and its indications that wait.
final class Subscribers: Sendable {
    private struct State {
        var count = 0
        /// The first one is on its way.
        var indications: [Indication] = []
    }

    private let state = Mutex(State())
    private let onChange: @Sendable (Subscribers, Bool) -> Void

    /// - Parameter onChange: is called on the bus's thread when the first comes and the last goes.
    init(onChange: @escaping @Sendable (Subscribers, Bool) -> Void) { self.onChange = onChange }

    /// Whether there is any.
    var isAny: Bool { state.withLock { $0.count > 0 } }

    /// One came or went, on the bus's thread.
    func change(by difference: Int) {
        let (before, after, abandoned) = state.withLock { state in
            let before = state.count
            // A daemon that says twice that one went does no harm.
            state.count = max(0, before + difference)
            return (before, state.count, state.count == 0 ? state.indications : [])
        }
        if (before == 0) != (after == 0) { onChange(self, after > 0) }
        for indication in abandoned { indication.end(.failure(.disconnected)) }
    }

    /// All are gone, on the bus's thread, with the daemon or the adapter.
    func reset() {
        let count = state.withLock { $0.count }
        if count > 0 { change(by: -count) }
    }

    /// A peer has the indication that is on its way.
    func confirm() {
        let first = state.withLock { $0.indications.first }
        first?.confirmation.end(.success(()))
    }

    /// Takes its place in the row, and begins if it is the first.
    func add(_ indication: Indication) {
        let isFirst = state.withLock { state in
            state.indications.append(indication)
            return state.indications.count == 1
        }
        if isFirst { indication.turn.end(.success(())) }
    }

    /// It is over; the next one begins.
    func remove(_ indication: Indication) {
        let next = state.withLock { state -> Indication? in
            let wasFirst = state.indications.first === indication
            state.indications.removeAll { $0 === indication }
            return wasFirst ? state.indications.first : nil
        }
        next?.turn.end(.success(()))
    }
}
