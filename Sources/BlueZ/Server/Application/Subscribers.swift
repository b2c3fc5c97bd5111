import Synchronization

/// Whether a characteristic has subscribers, and its indications that wait.
final class Subscribers: Sendable {
    private struct State {
        var isAny = false
        /// The first one is on its way.
        var indications: [Indication] = []
    }

    private let state = Mutex(State())
    private let onChange: @Sendable (Subscribers, Bool) -> Void

    /// - Parameter onChange: is called on the bus's thread when the first comes and the last goes.
    init(onChange: @escaping @Sendable (Subscribers, Bool) -> Void) { self.onChange = onChange }

    /// Whether there is any.
    var isAny: Bool { state.withLock { $0.isAny } }

    /// One came, on the bus's thread. The daemon (5.66) tells of each that comes, and only of the
    /// last that goes.
    func take() {
        let isFirst = state.withLock { state in
            defer { state.isAny = true }
            return !state.isAny
        }
        if isFirst { onChange(self, true) }
    }

    /// The last one went, or all did with the daemon or the adapter; on the bus's thread.
    func reset() {
        let (wasAny, abandoned) = state.withLock { state in
            defer { state.isAny = false }
            return (state.isAny, state.indications)
        }
        guard wasAny else { return }
        onChange(self, false)
        for indication in abandoned { indication.end(.failure(.disconnected)) }
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
