/// When the next ACK has to go out (spec/bleota.md, section 5.1).
struct AcknowledgementTimer: BitwiseCopyable {
    private(set) var deadline: Instant?
    private(set) var answersPoll = false
    /// When the newest data frame came, for the delay in the ACK.
    private var newestArrival: Instant?

    /// The first ACK of an epoch is due at once.
    init(dueAt now: Instant) { deadline = now }

    //= ACK-5: A receiver MUST otherwise send ACK within 250 milliseconds of a data frame that is
    //= not yet acknowledged.
    mutating func dataArrived(at now: Instant) {
        newestArrival = now
        let latest = now + RoundTripEstimator.acknowledgementDelayMax
        deadline = min(deadline ?? latest, latest)
    }

    mutating func pollArrived(at now: Instant) {
        answersPoll = true
        deadline = now
    }

    mutating func somethingChanged(at now: Instant) { deadline = now }

    /// A new epoch begins: its first ACK is due, and none of its data has arrived.
    mutating func epochBegan(at now: Instant) {
        newestArrival = nil
        deadline = now
    }

    func isDue(at now: Instant) -> Bool { deadline.map { now >= $0 } ?? false }

    /// Notes that the ACK goes out; returns its delay in milliseconds, 255 for more, 0 for none.
    mutating func sent(at now: Instant) -> UInt8 {
        defer {
            deadline = nil
            answersPoll = false
        }
        guard let newestArrival else { return 0 }
        return UInt8(min((now - newestArrival).rawValue / 1_000, 255))
    }
}
