import BLEOTACore
import Synchronization

/// The clock the machines are driven by: microseconds of this process's own time since it was made.
///
/// While the process was stopped (SIGSTOP, Ctrl-Z) or the machine slept, nothing could arrive, and
/// that nothing did is not the peer's silence: such a gap is left out. Whoever waits for a deadline
/// looks at the clock every ``heartbeat``, so that a longer pause between two looks is a gap.
final class MonotonicClock: Sendable {
    /// The clock of all drivers of this process. They share it so that those that wait keep it
    /// going for those that don't.
    static let ofProcess = MonotonicClock()

    /// How often somebody who waits for a deadline looks at the clock.
    static let heartbeat = Microseconds.seconds(1)
    /// A pause between two looks that is longer is a gap. A busy machine lets a process wait for
    /// tenths of a second; three are a wide margin, and less than any limit of the protocol.
    static let gapMin = Microseconds.seconds(3)

    private struct State {
        /// When somebody last looked, with the gaps.
        var lookedAt = Microseconds.zero
        var gaps = Microseconds.zero
    }

    private let origin = ContinuousClock.now
    private let elapsed: @Sendable (ContinuousClock.Instant) -> Duration
    private let state = Mutex(State())

    /// - Parameter elapsed: the time since the origin, gaps and all; it never goes back.
    init(
        elapsed: @escaping @Sendable (ContinuousClock.Instant) -> Duration = { origin in
            origin.duration(to: .now)
        }
    ) {
        self.elapsed = elapsed
    }

    var now: Instant {
        state.withLock { state in
            let time = Microseconds(Self.microseconds(elapsed(origin)))
            let pause = time - state.lookedAt
            if pause > Self.gapMin { state.gaps = state.gaps + pause }
            state.lookedAt = time
            return Instant(microseconds: (time - state.gaps).rawValue)
        }
    }

    static func microseconds(_ duration: Duration) -> Int64 {
        let (seconds, attoseconds) = duration.components
        return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
    }
}
