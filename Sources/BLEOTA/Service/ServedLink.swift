import BLEOTACore
import Synchronization

/// Serves one link, and holds the state of its current session.
final class ServedLink: Sendable {
    /// How serving a link ended.
    enum Ending: Sendable {
        /// The link has ended, or the task was cancelled.
        case over
        /// The first image is verified and current, and the service was to receive only one.
        case received
        /// This device failed, and the service was to receive only one image.
        case failed(TransferError)
    }

    private struct State {
        var driver: ReceiveDriver?
        var turn: StoreTurn?
        var isOffering = false
    }

    let link: any Transport
    /// The peer's process; `nil` if it is unknown. An unknown process counts as one with a single
    /// link.
    let process: Int32?
    private let state = Mutex(State())

    init(_ link: any Transport, process: Int32? = nil) {
        self.link = link
        self.process = process
    }

    /// Whether an image that the peer requested is being sent.
    var isOffering: Bool { state.withLock { $0.isOffering } }

    /// Whether the link's session has its turn at the store.
    var hasStore: Bool { state.withLock { $0.turn }?.isTaken ?? false }

    var standing: SessionStanding {
        state.withLock { $0.driver }?.standing ?? .none
    }

    /// Serves the link until it ends or, if `isOnce` is true, until the first image is current.
    ///
    /// - Parameters:
    ///   - turns: the turns at the store; `nil` if no other link uses the store.
    ///   - limits: how long a session may go without progress; `nil` if no other peers wait.
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
                running: policy.running,
                deviceKey: policy.deviceKey
            ) { event in
                received.note(event)
                onEvent(event)
            }
            // If there is no memory for a receiver, end only this link.
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
            case .link(let error, _):
                if driver.hasSession {
                    onEvent(.ended(TransferError(.linkLost(CloseReason(error)))))
                }
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

    /// Closes the link once it has been without a session for `limit`. Runs until the task is
    /// cancelled.
    ///
    /// The idle time is the sum of the nominal lengths of short waits. It therefore leaves out the
    /// time during which this process is stopped or the computer sleeps: nothing can arrive then.
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
    /// Whether this device failed rather than the peer. The next peer would encounter the same
    /// failure.
    var isOwnFailure: Bool {
        guard case .store(let error) = problem else { return false }
        return switch error.code {
        case .storeFailed, .lost: true
        default: false
        }
    }
}
