public import BLEOTACore

/// Periods in which a host processes no arriving data, because other programs use its processor
/// or another link uses its radio. Data that arrives in the meantime is queued, and then
/// processed all at once.
///
/// On two emulated cores that run a receiver, a sender and two Bluetooth daemons, chunks are
/// delayed by 35 to 60 ms even without a queue, and the delays vary by as much (spec/notes.md,
/// Window).
public struct HostPauses: Sendable, Hashable {
    /// The longest pause; the length of each pause is uniformly distributed from 0 to this
    /// maximum.
    public let lengthMax: Microseconds
    /// The longest gap from the end of a pause to the start of the next; the length of each gap is
    /// uniformly distributed from 0 to this maximum.
    public let gapMax: Microseconds

    /// Creates pauses for both hosts, drawn independently. `gapMax` must be at least one
    /// millisecond.
    public init(lengthMax: Microseconds, gapMax: Microseconds) {
        precondition(lengthMax >= .zero, "a negative time")
        precondition(gapMax >= .milliseconds(1), "hosts must run between pauses")
        self.lengthMax = lengthMax
        self.gapMax = gapMax
    }
}

extension HostPauses {
    /// The sequence of pauses of one host.
    struct Course {
        private var start = Instant(microseconds: 0)
        private var end = Instant(microseconds: 0)

        /// Returns the time at which the host processes data that arrives at `moment`. Moments
        /// must not decrease from call to call.
        mutating func moment(
            takingAt moment: Instant,
            _ pauses: HostPauses,
            _ random: inout SimulationRandom
        ) -> Instant {
            while moment > end {
                start = end + Self.draw(upTo: pauses.gapMax, &random)
                end = start + Self.draw(upTo: pauses.lengthMax, &random)
            }
            return moment >= start ? end : moment
        }

        private static func draw(
            upTo max: Microseconds,
            _ random: inout SimulationRandom
        ) -> Microseconds {
            Microseconds(Int64(random.int(0...Int(max.rawValue))))
        }
    }
}
