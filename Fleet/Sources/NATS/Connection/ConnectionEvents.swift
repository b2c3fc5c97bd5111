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
        case disconnected(NATSError)
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
        /// What is called with the next refusal that names a subject.
        var listeners: [Int: (subject: String, refused: @Sendable (NATSError) -> Void)] = [:]
        var lastListener = 0
        var unsendableSignatureCount = 0
        var patience: SeedPatience
        /// Why the last signature failed; `nil` if it didn't.
        var seedProblem: SeedProblem?
        /// The last refusal of the key, since there was a connection.
        var refusal: String?
    }

    /// Refusals come as fast as a wrong program asks. The one that an operation looks for is among
    /// the last as many as can be under way.
    private static let violationsMax = 64

    private let state: Mutex<State>
    /// Called after each reconnection, on the thread of libnats.
    private let recheck: @Sendable () -> Void
    /// Called when the connection is to be closed, on the thread of libnats.
    private let hangUp: @Sendable () -> Void

    init(
        seedLimit: Duration,
        recheck: @escaping @Sendable () -> Void,
        hangUp: @escaping @Sendable () -> Void
    ) {
        state = Mutex(State(patience: SeedPatience(limit: seedLimit)))
        self.recheck = recheck
        self.hangUp = hangUp
    }

    var phase: Phase { state.withLock { $0.phase } }
    var generation: Int { state.withLock { $0.generation } }

    /// Throws unless there is a connection to a server that was checked.
    func requireConnected() throws(NATSError) {
        switch phase {
        case .connected: break
        case .checking: throw .disconnected("the server's version isn't known yet")
        case .disconnected(let error): throw error
        case .closed(let error): throw error
        }
    }

    /// Why the connection is closed, which an operation that finds it closed doesn't know.
    ///
    /// libnats tells it on a thread of its own, on a busy machine a moment after operations have
    /// found out.
    func cause(of error: NATSError) -> NATSError {
        guard case .closed = error else { return error }
        let end = ContinuousClock.now + .seconds(1)
        while true {
            if case .closed(let cause) = phase { return cause }
            if ContinuousClock.now > end { return error }
            pauseBriefly()
        }
    }

    // MARK: - Inputs

    func connected(to version: ServerVersion) {
        advance { state in
            guard state.phase == .checking else { return }
            state.phase = .connected(version)
            state.generation += 1
            state.refusal = nil
        }
    }

    func disconnected(_ why: String) { advance { $0.phase = .disconnected(.disconnected(why)) } }

    func reconnected() {
        advance { $0.phase = .checking }
        recheck()
    }

    func closed(_ error: NATSError) { advance { $0.phase = .closed(error) } }

    /// libnats has closed the connection by itself. It may have forgotten that the server refused
    /// the key.
    func gaveUp(_ why: String) {
        advance { state in
            state.phase = .closed(state.refusal.map { .refusedCredentials($0) } ?? .closed(why))
        }
    }

    func refused(_ why: String) { state.withLock { $0.refusal = why } }

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
        let listeners = state.withLock { state in
            state.violationCount += 1
            state.violations.append(text)
            if state.violations.count > Self.violationsMax { state.violations.removeFirst() }
            return state.listeners.values.filter { Self.text(text, names: $0.subject) }
        }
        for listener in listeners { listener.refused(.notPermitted(text)) }
    }

    /// Calls `refused` with each refusal that names `subject`, until ``ignore(_:)``.
    func listen(
        for subject: String,
        _ refused: @escaping @Sendable (NATSError) -> Void
    ) -> Int {
        state.withLock { state in
            state.lastListener += 1
            state.listeners[state.lastListener] = (subject, refused)
            return state.lastListener
        }
    }

    func ignore(_ listener: Int) {
        state.withLock { _ = $0.listeners.removeValue(forKey: listener) }
    }

    private static func text(_ text: String, names subject: String) -> Bool {
        text.contains("\"\(subject)\"")
    }

    /// The refusal since `mark` that names `subject`; any if that is `nil`.
    ///
    /// A server refuses without saying which request it means. The request then has no answer.
    func violation(since mark: Int, naming subject: String?) -> NATSError? {
        state.withLock { state in
            state.violations.suffix(state.violationCount - mark)
                .first { text in subject.map { Self.text(text, names: $0) } ?? true }
                .map { .notPermitted($0) }
        }
    }

    // MARK: - Signatures

    /// The signatures that couldn't be sent (``Signing``).
    var unsendableSignatureCount: Int { state.withLock { $0.unsendableSignatureCount } }

    func foundUnsendableSignature() { state.withLock { $0.unsendableSignatureCount += 1 } }

    /// Why the last signature failed; `nil` if it didn't.
    var seedProblem: SeedProblem? { state.withLock { $0.seedProblem } }

    func signed() {
        state.withLock { state in
            state.patience.signed()
            state.seedProblem = nil
        }
    }

    func failedToSign(_ problem: SeedProblem, at now: ContinuousClock.Instant = .now) {
        let isOver = state.withLock { state in
            state.seedProblem = problem
            return state.patience.failed(at: now)
        }
        advance { state in
            // At the first connection, whoever opens it is told.
            guard case .disconnected = state.phase else { return }
            let error = NATSError.noSeed(problem, isFinal: isOver)
            state.phase = isOver ? .closed(error) : .disconnected(error)
        }
        if isOver { hangUp() }
    }
}
