public import BLEOTACore

/// Times in which a host takes nothing: other programs have its processor, or its radio another
/// link. What arrives meanwhile waits, and is taken all at once.
///
/// On two emulated cores that run a receiver, a sender and two Bluetooth daemons, chunks wait 35 to
/// 60 ms without any queue, and differ by as much (spec/notes.md, Window).
public struct HostPauses: Sendable, Hashable {
    /// A pause takes up to so long, every length as likely as another.
    public let lengthMax: Microseconds
    /// From the end of one to the beginning of the next, likewise.
    public let gapMax: Microseconds

    /// Pauses of both hosts, each at times of its own. A gap may be a millisecond at least.
    public init(lengthMax: Microseconds, gapMax: Microseconds) {
        precondition(lengthMax >= .zero, "a time below 0")
        precondition(gapMax >= .milliseconds(1), "hosts have to do something at times")
        self.lengthMax = lengthMax
        self.gapMax = gapMax
    }
}

extension HostPauses {
    /// The pauses of one host, one after the other.
    struct Course {
        private var start = Instant(microseconds: 0)
        private var end = Instant(microseconds: 0)

        /// When the host takes what arrives at this moment, none of which is before the last.
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
