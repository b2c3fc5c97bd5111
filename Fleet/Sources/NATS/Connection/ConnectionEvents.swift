import Synchronization

/// What has become of a connection, for whoever waits for it.
///
///     checking ──version is new enough──▶ connected ──server goes──▶ disconnected
///        ▲                                                              │
///        └──────────────────────────reconnected─────────────────────────┘
///
/// From every state, closed, which is the end: closed by this side, refused, or too old.
final class ConnectionEvents: Sendable {
    enum Phase: Equatable {
        case checking
        case connected(ServerVersion)
        case disconnected(String)
        case closed(NATSError)
    }

    private typealias Waiters = [Int: CheckedContinuation<Bool, Never>]

    private struct State {
        var phase = Phase.checking
        /// Counts the connections, so that a watch sees that it is on an old one.
        var generation = 0
        var waiters = Waiters()
        var lastWaiter = 0
        /// The last refusals, each with the subject that it is about.
        var violations: [String] = []
        var violationCount = 0
        var unsendableSignatureCount = 0
    }

    /// Refusals come as fast as a wrong program asks. The one that an operation looks for is among
    /// the last as many as can be under way.
    private static let violationsMax = 64

    private let state = Mutex(State())
    /// Called after each reconnection, on the thread of libnats.
    private let recheck: @Sendable () -> Void

    init(recheck: @escaping @Sendable () -> Void) { self.recheck = recheck }

    var phase: Phase { state.withLock { $0.phase } }
    var generation: Int { state.withLock { $0.generation } }

    /// Throws unless there is a connection to a server that was checked.
    func requireConnected() throws(NATSError) {
        switch phase {
        case .connected: break
        case .checking: throw .disconnected("the server's version isn't known yet")
        case .disconnected(let why): throw .disconnected(why)
        case .closed(let error): throw error
        }
    }

    // MARK: - Inputs

    func connected(to version: ServerVersion) {
        advance { state in
            guard state.phase == .checking else { return }
            state.phase = .connected(version)
            state.generation += 1
        }
    }

    func disconnected(_ why: String) { advance { $0.phase = .disconnected(why) } }

    func reconnected() {
        advance { $0.phase = .checking }
        recheck()
    }

    func closed(_ error: NATSError) { advance { $0.phase = .closed(error) } }

    private func advance(_ change: (inout State) -> Void) {
        let (waiters, isConnected) = state.withLock { state in
            if case .closed = state.phase { return (Waiters(), false) }
            change(&state)
            switch state.phase {
            case .checking, .disconnected: return ([:], false)
            case .connected, .closed:
                defer { state.waiters = [:] }
                return (state.waiters, true)
            }
        }
        for waiter in waiters.values { waiter.resume(returning: isConnected) }
    }

    // MARK: - Waiting

    /// Waits for a connection, or for the end of all.
    ///
    /// - Throws: ``NATSError/timeout``, ``NATSError/cancelled``, or why the connection is closed.
    func awaitConnected(within limit: Duration) async throws(NATSError) {
        let id = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        let alarm = Task { [weak self] in
            try? await Task.sleep(for: limit)
            self?.giveUp(id)
        }
        defer { alarm.cancel() }
        let isOver = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver: Bool? = state.withLock { state in
                    switch state.phase {
                    case .connected, .closed: return true
                    case .checking, .disconnected:
                        if Task.isCancelled { return false }
                        state.waiters[id] = continuation
                        return nil
                    }
                }
                if let isOver { continuation.resume(returning: isOver) }
            }
        } onCancel: {
            giveUp(id)
        }
        if case .closed(let error) = phase { throw error }
        if !isOver { throw Task.isCancelled ? .cancelled : .timeout }
    }

    private func giveUp(_ id: Int) {
        state.withLock { $0.waiters.removeValue(forKey: id) }?.resume(returning: false)
    }

    // MARK: - Refused subjects

    var violationCount: Int { state.withLock { $0.violationCount } }

    func violated(_ text: String) {
        state.withLock { state in
            state.violationCount += 1
            state.violations.append(text)
            if state.violations.count > Self.violationsMax { state.violations.removeFirst() }
        }
    }

    /// The refusal since `mark` that names `subject`; any if that is `nil`.
    ///
    /// A server refuses without saying which request it means. The request then has no answer.
    func violation(since mark: Int, naming subject: String?) -> NATSError? {
        state.withLock { state in
            state.violations.suffix(state.violationCount - mark)
                .first { text in subject.map { text.contains("\"\($0)\"") } ?? true }
                .map { .notPermitted($0) }
        }
    }

    // MARK: - Signatures

    /// The signatures that couldn't be sent (``Signing``).
    var unsendableSignatureCount: Int { state.withLock { $0.unsendableSignatureCount } }

    func foundUnsendableSignature() { state.withLock { $0.unsendableSignatureCount += 1 } }
}
