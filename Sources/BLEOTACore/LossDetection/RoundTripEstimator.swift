/// Smoothed round-trip time and its variation, as in RFC 6298, and the timeout that follows from
/// them (spec/bleota.md, section 6.1).
struct RoundTripEstimator: BitwiseCopyable {
    /// The longest delay of an ACK that the receiver may add on purpose ([ACK-5]).
    static var acknowledgementDelayMax: Microseconds { .milliseconds(250) }

    /// What hosts that do other work are late by.
    private static var timerDelayMax: Microseconds { .milliseconds(40) }

    private(set) var smoothed: Microseconds = .milliseconds(200)
    private(set) var variation: Microseconds = .milliseconds(100)
    /// The shortest sample, or `nil` before the first.
    private(set) var shortest: Microseconds?
    private var latest: Microseconds = .zero

    /// How long to wait for what a frame asked for at once before something is sent to provoke it.
    ///
    /// - Parameter baseRoundTrip: what an answer may be late by where a packet is damaged, however
    ///   little round trips varied before.
    func probeTimeout(baseRoundTrip: Microseconds) -> Microseconds {
        smoothed + max(variation * 4, baseRoundTrip, Self.timerDelayMax)
    }

    //= REPAIR-6: A sender with a round-trip sample MUST NOT take anything as lost because of a
    //= chunk that it sent more than once and that is acknowledged less than an eighth of the latest
    //= sample, or of the shortest where the link does not keep order, and the delay in the ACK,
    //= after it was sent last.
    /// The shortest round trip that an answer may have taken; `nil` before the first sample. The
    /// latest sample knows how long the queue is.
    func leastPlausible(keepsOrder: Bool) -> Microseconds? {
        shortest.map { (keepsOrder ? latest : $0) / 8 }
    }

    /// Records a sample: from the sending of a chunk to its ACK, less the receiver's own delay.
    mutating func record(_ sample: Microseconds) {
        let sample = max(sample, .zero)
        latest = sample
        guard let shortest else {
            smoothed = sample
            variation = Microseconds(sample.rawValue / 2)
            self.shortest = sample
            return
        }
        self.shortest = min(shortest, sample)
        let deviation = abs(smoothed.rawValue - sample.rawValue)
        variation = Microseconds((3 * variation.rawValue + deviation) / 4)
        smoothed = Microseconds((7 * smoothed.rawValue + sample.rawValue) / 8)
    }
}
