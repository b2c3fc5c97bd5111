/// When the next ACK has to go out (spec/bleota.md, section 5.1).
struct AcknowledgementTimer: BitwiseCopyable {
    private(set) var deadline: Instant
    private(set) var answersPoll = false
    /// When the newest data frame came, for the delay in the ACK.
    private var newestArrival = Instant.never

    /// The first ACK of an epoch is due at once.
    init(dueAt now: Instant) { deadline = now }

    //= ACK-5: A receiver MUST otherwise send ACK within 250 milliseconds of a data frame that is
    //= not yet acknowledged.
    mutating func dataArrived(at now: Instant) {
        newestArrival = now
        deadline = min(deadline, now + RoundTripEstimator.acknowledgementDelayMax)
    }

    mutating func pollArrived(at now: Instant) {
        answersPoll = true
        deadline = now
    }

    /// No poll is left to answer: it was of another object.
    mutating func forgetPoll() { answersPoll = false }

    mutating func somethingChanged(at now: Instant) { deadline = now }

    /// A new epoch begins: its first ACK is due, and none of its data has arrived.
    mutating func epochBegan(at now: Instant) {
        newestArrival = .never
        deadline = now
    }

    /// BUSY goes out in place of the ACK, which is due again as if data had just arrived.
    mutating func putOff(at now: Instant) {
        newestArrival = now
        deadline = now + RoundTripEstimator.acknowledgementDelayMax
        answersPoll = false
    }

    func isDue(at now: Instant) -> Bool { now >= deadline }

    /// Notes that the ACK goes out; returns its delay in milliseconds, 255 for more, 0 for none.
    mutating func sent(at now: Instant) -> UInt8 {
        deadline = .never
        answersPoll = false
        // Without an arrival the delay is negative, and with that none.
        return UInt8(clamping: UInt32(clamping: (now - newestArrival).rawValue) / 1_000)
    }
}
