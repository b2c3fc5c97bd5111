/// The smoothed round-trip time and its variation, as in RFC 6298, and the timeout derived from
/// them (spec/bleota.md, section 6.1).
struct RoundTripEstimator: BitwiseCopyable {
    /// The longest delay that a receiver may deliberately add to an ACK ([ACK-5]).
    static var acknowledgementDelayMax: Microseconds { .milliseconds(250) }

    /// The greatest lateness that is expected of the timers of a busy host.
    private static var timerDelayMax: Microseconds { .milliseconds(40) }

    private(set) var smoothed: Microseconds = .milliseconds(200)
    private(set) var variation: Microseconds = .milliseconds(100)
    /// The shortest sample, or `nil` before the first one.
    private(set) var shortest: Microseconds?
    private var latest: Microseconds = .zero

    /// Returns the time to wait for a requested answer before sending a probe.
    ///
    /// - Parameter baseRoundTrip: the time by which a damaged packet may delay an answer, even
    ///   if previous round trips hardly varied.
    func probeTimeout(baseRoundTrip: Microseconds) -> Microseconds {
        smoothed + max(variation * 4, baseRoundTrip, Self.timerDelayMax)
    }

    //= REPAIR-6: This rule is for a sender that has a round-trip sample. If a chunk was sent more
    //= than once, let t be the time from its latest transmission to the ACK that acknowledges it,
    //= less the delay in this ACK. If t is less than an eighth of a sample, the sender MUST NOT
    //= treat any chunk as lost because of this chunk, and from then on it SHOULD treat the link as
    //= one that does not keep order. The sample is the latest one if the link keeps order, and the
    //= shortest one otherwise.
    /// Returns the shortest plausible round trip of an answer, or `nil` before the first
    /// sample. On a link that keeps order it depends on the latest sample, which reflects the
    /// length of the queue.
    func leastPlausible(keepsOrder: Bool) -> Microseconds? {
        shortest.map { (keepsOrder ? latest : $0) / 8 }
    }

    /// Records a sample: the time from the sending of a chunk to its ACK, minus the receiver's
    /// own delay.
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
