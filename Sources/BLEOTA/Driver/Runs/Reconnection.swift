import BLEOTACore
import BLEOTAWire

/// Replaces lost links with new ones, within a time limit that restarts whenever there is progress.
package struct Reconnection {
    private static let pauseFirst = Duration.milliseconds(250)
    private static let pauseMax = Duration.seconds(8)

    /// Runs a transfer over links that `connect` establishes.
    ///
    /// - Parameters:
    ///   - firstLimit: how long to try to establish the first link if nobody is at the other end.
    ///   - limit: how long to try to establish a new link, counted from the last progress.
    package static func run<Run: ReconnectingRun>(
        _ run: inout Run,
        firstLimit: Duration,
        limit: Duration,
        connect: () async throws(TransferError) -> Run.Link
    ) async throws(TransferError) -> TransferReport {
        var link = try await firstLink(within: firstLimit, connect)
        var reconnection = Reconnection(limit: limit)
        while true {
            let durableBefore = run.furthestDurable
            run.connected(over: link)
            do throws(TransferError) {
                let report = try await run.once(over: link)
                run.close(link)
                return report
            } catch {
                run.close(link)
                if run.furthestDurable != durableBefore { reconnection.progressed() }
                guard error.isWorthReconnecting else {
                    throw Task.isCancelled ? TransferError(.cancelled) : error
                }
                run.reconnecting(after: error)
                if let limit = run.nextLinkLimit { reconnection.await(limit) }
                guard let next = await reconnection.connected(connect) else {
                    throw Task.isCancelled ? TransferError(.cancelled) : error
                }
                link = next
                run.reconnectionCount += 1
            }
        }
    }

    /// Runs a transfer over links that `connector` establishes.
    static func run<Run: ReconnectingRun>(
        _ run: inout Run,
        through connector: any Connector,
        firstLimit: Duration,
        limit: Duration
    ) async throws(TransferError) -> TransferReport where Run.Link == any Transport {
        try await Self.run(&run, firstLimit: firstLimit, limit: limit) { () throws(TransferError) in
            try await connector.connect()
        }
    }

    /// Establishes the first link. If nobody is at the other end, it tries again, because a service
    /// may be restarting.
    package static func firstLink<Link>(
        within limit: Duration,
        _ connect: () async throws(TransferError) -> Link
    ) async throws(TransferError) -> Link {
        var reconnection = Reconnection(limit: limit)
        do throws(TransferError) {
            return try await connect()
        } catch {
            guard case .nobodyThere = error.problem,
                let link = await reconnection.connected(connect)
            else { throw Task.isCancelled ? TransferError(.cancelled) : error }
            return link
        }
    }

    private let limit: Duration
    /// The limit for the next link, if it differs from ``limit``.
    private var nextLimit: Duration?
    private let clock = MonotonicClock.ofProcess
    private var pause = Reconnection.pauseFirst
    private var lastProgress = MonotonicClock.ofProcess.now

    private init(limit: Duration) { self.limit = limit }

    /// Sets a limit for the next link only, counted from now.
    private mutating func await(_ limit: Duration) {
        progressed()
        nextLimit = limit
    }

    private mutating func progressed() {
        lastProgress = clock.now
        pause = Self.pauseFirst
    }

    /// Returns a new link, or `nil` if the time limit has passed or the task is cancelled.
    private mutating func connected<Link>(
        _ connect: () async throws(TransferError) -> Link
    ) async -> Link? {
        // The timer reads the clock regularly. Otherwise the clock would leave out this wait as a
        // gap.
        let heartbeat = DeadlineTimer(clock: clock)
        heartbeat.arm(at: clock.now + .seconds(86_400))
        defer { heartbeat.stop() }
        while true {
            let left = (nextLimit ?? limit) - .microseconds((clock.now - lastProgress).rawValue)
            guard left > .zero else { return nil }
            do {
                try await Task.sleep(for: min(pause, left))
            } catch {
                return nil
            }
            pause = min(pause * 2, Self.pauseMax)
            if let link = try? await connect() {
                nextLimit = nil
                return link
            }
        }
    }
}

extension TransferError {
    /// Whether another link may help.
    fileprivate var isWorthReconnecting: Bool {
        switch problem {
        case .linkLost(.refused): false
        // The receiver may still hold the session of the lost link, or may have ended the session
        // of a sender that was stopped for a while.
        case .linkLost, .silent, .refused(.busy, _), .refused(.silent, _), .refused(.stalled, _),
            .refused(.noSession, _):
            true
        default: false
        }
    }
}
