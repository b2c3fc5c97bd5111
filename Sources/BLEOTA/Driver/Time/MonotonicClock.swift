package import BLEOTACore
import Synchronization

/// The clock of the senders and receivers: the microseconds for which this process has been able to
/// run since the clock was created.
///
/// While the process is stopped (SIGSTOP, Ctrl-Z) or the computer sleeps, nothing can arrive. Such
/// a gap must not count as silence from the peer, so the clock leaves it out. Every task that waits
/// for a deadline reads the clock once per ``heartbeat``, so a much longer time between two
/// readings is a gap.
package final class MonotonicClock: Sendable {
    /// The clock of all drivers in this process. They share it so that a driver with a deadline
    /// keeps it running for drivers without one.
    package static let ofProcess = MonotonicClock()

    /// The interval at which the clock is read while a deadline is pending.
    package static let heartbeat = Microseconds.seconds(1)
    /// If two readings are further apart than this, the time between them is a gap. On a busy
    /// computer, a process may wait tenths of a second for the CPU. Three seconds leave a wide
    /// margin, and are shorter than every time limit of the protocol.
    static let gapMin = Microseconds.seconds(3)

    private struct State {
        /// The time of the last reading, including gaps.
        var lookedAt = Microseconds.zero
        var gaps = Microseconds.zero
    }

    private let origin = ContinuousClock.now
    private let elapsed: @Sendable (ContinuousClock.Instant) -> Duration
    private let state = Mutex(State())

    /// - Parameter elapsed: returns the time since the origin, including gaps; it never decreases.
    init(
        elapsed: @escaping @Sendable (ContinuousClock.Instant) -> Duration = { origin in
            origin.duration(to: .now)
        }
    ) {
        self.elapsed = elapsed
    }

    package var now: Instant {
        state.withLock { state in
            let time = Microseconds(Self.microseconds(elapsed(origin)))
            let pause = time - state.lookedAt
            if pause > Self.gapMin { state.gaps = state.gaps + pause }
            state.lookedAt = time
            return Instant(microseconds: (time - state.gaps).rawValue)
        }
    }

    package static func microseconds(_ duration: Duration) -> Int64 {
        let (seconds, attoseconds) = duration.components
        return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
    }
}
