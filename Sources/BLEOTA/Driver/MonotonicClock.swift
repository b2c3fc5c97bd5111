import BLEOTACore

/// The clock the machines are driven by: microseconds since it was made.
struct MonotonicClock: Sendable {
    private let origin = ContinuousClock.now

    var now: Instant { Instant(microseconds: Self.microseconds(origin.duration(to: .now))) }

    /// The moment on the system's clock.
    func time(of instant: Instant) -> ContinuousClock.Instant {
        origin.advanced(by: .microseconds(instant.microseconds))
    }

    static func microseconds(_ duration: Duration) -> Int64 {
        let (seconds, attoseconds) = duration.components
        return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
    }
}
