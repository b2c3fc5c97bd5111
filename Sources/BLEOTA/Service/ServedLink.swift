import BLEOTACore
import Synchronization

/// One link that is served, and what happens on it.
final class ServedLink: Sendable {
    /// How serving a link ended.
    enum Ending: Sendable {
        /// The link is gone, or the task was cancelled.
        case over
        /// The first image is verified and current, and only that was asked for.
        case received
        /// This device failed, and only the first image was asked for.
        case failed(TransferError)
    }

    private struct State {
        var driver: ReceiveDriver?
        var turn: StoreTurn?
        var isOffering = false
    }

    let link: any Transport
    /// Whose it is; `nil` for a process of its own.
    let process: Int32?
    private let state = Mutex(State())

    init(_ link: any Transport, process: Int32? = nil) {
        self.link = link
        self.process = process
    }

    /// Whether the peer is being sent an image that it asked for.
    var isOffering: Bool { state.withLock { $0.isOffering } }

    /// Whether it is its turn at the store.
    var hasStore: Bool { state.withLock { $0.turn }?.isTaken ?? false }

    var standing: SessionStanding {
        state.withLock { $0.driver }?.standing ?? .none
    }

    /// Serves the link until it ends, or until the first image with `isOnce`.
    ///
    /// - Parameters:
    ///   - turns: who may have the store when; `nil` where nobody else wants it.
    ///   - limits: how long a session may get no further; `nil` where nobody else waits.
    func serve(
        into store: any ImageStore,
        policy: AcceptancePolicy,
        offering offers: [Firmware],
        turns: StoreTurns? = nil,
        limits: ServiceLimits? = nil,
        isOnce: Bool = false,
        onEvent: @escaping @Sendable (ReceiverEvent.Kind) -> Void
    ) async -> Ending {
        defer { state.withLock { $0 = State() } }
        var arrived: [Datagram] = []
        while !Task.isCancelled {
            let received = OutcomeCollector()
            let driver = try? ReceiveDriver(
                over: link,
                scope: isOnce ? .oneSession : .link,
                limits: limits,
                running: policy.running
            ) { event in
                received.note(event)
                onEvent(event)
            }
            // Without memory for it, the link ends: the others need theirs.
            guard let driver else { return .over }
            let turn = turns.map { StoreTurn($0, claimant(of: driver)) }
            state.withLock { ($0.driver, $0.turn) = (driver, turn) }
            let ending = await driver.run(
                into: store,
                policy: policy,
                arrived: arrived,
                turn: turn
            )
            arrived = []
            if isOnce, received.isStored { return .received }
            switch ending {
            case .requested(let request, let rest):
                state.withLock { $0 = State(isOffering: true) }
                arrived = await offer(
                    offers,
                    to: request,
                    over: link,
                    arrived: rest,
                    onEvent: onEvent
                )
                state.withLock { $0 = State() }
            case .session(let session, let error):
                guard isOnce, session.reason != .stalled else { return .over }
                let error = TransferError(sessionEndedBy: session, error)
                if error.isOwnFailure { return .failed(error) }
            case .link:
                return .over
            }
        }
        return .over
    }

    private func claimant(of driver: ReceiveDriver) -> StoreTurns.Claimant {
        StoreTurns.Claimant(
            process: process,
            standing: { [weak driver] in driver?.standing ?? .none },
            makeWay: { [weak driver] in driver?.endSession(because: .busy) }
        )
    }

    /// Closes the link when it has gone without a session for `limit`. Runs until the task is
    /// cancelled.
    ///
    /// It counts the time in small steps, each no longer than it should be: while this process was
    /// stopped, or the machine slept, nothing could have come.
    func closeWhenIdle(for limit: Duration) async {
        let step = min(.seconds(1), limit / 8)
        var idle = Duration.zero
        while (try? await Task.sleep(for: step)) != nil {
            idle = isOffering || standing != .none ? .zero : idle + step
            if idle >= limit { return link.close(.local) }
        }
    }
}

extension TransferError {
    /// Whether this device failed, and not its peer: whoever comes next would meet the same.
    var isOwnFailure: Bool {
        guard case .store(let error) = problem else { return false }
        return switch error.code {
        case .storeFailed, .lost: true
        default: false
        }
    }
}
