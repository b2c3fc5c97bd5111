/// Makes a lost link again, within a budget that each progress renews.
struct Reconnection {
    private static let pauseFirst = Duration.milliseconds(250)
    private static let pauseMax = Duration.seconds(8)

    /// Runs a transfer over links of `connector`, the first of which has to come about at once.
    static func run<Run: ReconnectingRun>(
        _ run: inout Run,
        through connector: any Connector,
        limit: Duration
    ) async throws(TransferError) -> TransferReport {
        var link = try await connector.connect()
        var reconnection = Reconnection(limit: limit)
        while true {
            let durableBefore = run.durableByteCount
            do throws(TransferError) {
                let report = try await run.once(over: link)
                link.close(.local)
                return report
            } catch {
                link.close(.local)
                if run.durableByteCount > durableBefore { reconnection.progressed() }
                guard error.isWorthReconnecting,
                    let next = await reconnection.connect(connector)
                else { throw Task.isCancelled ? TransferError(.cancelled) : error }
                link = next
                run.reconnectionCount += 1
            }
        }
    }

    private let limit: Duration
    private var pause = Reconnection.pauseFirst
    private var lastProgress = ContinuousClock.now

    private init(limit: Duration) { self.limit = limit }

    private mutating func progressed() {
        lastProgress = .now
        pause = Self.pauseFirst
    }

    /// A new link, or `nil` when the budget is spent or the task is cancelled.
    private mutating func connect(_ connector: any Connector) async -> (any Transport)? {
        while true {
            let left = limit - lastProgress.duration(to: .now)
            guard left > .zero else { return nil }
            do {
                try await Task.sleep(for: min(pause, left))
            } catch {
                return nil
            }
            pause = min(pause * 2, Self.pauseMax)
            if let link = try? await connector.connect() { return link }
        }
    }
}

extension TransferError {
    /// Whether another link may help.
    fileprivate var isWorthReconnecting: Bool {
        switch code {
        case .linkLost(.refused): false
        // A receiver may still hold the session of the link that was lost.
        case .linkLost, .silent, .refused(.busy, _): true
        default: false
        }
    }
}
