/// Finds out whether more chunks arrive where they are not spread over time.
///
/// A radio sends what waits for it at its own pace, however it came there. Hosts don't: a busy one
/// works off many chunks at once in less time than one after the other. Where hosts are the
/// bottleneck, answers come in bunches: one takes much longer than the next. Then a quarter of a
/// second's worth of chunks is kept in flight for a while, and for good if that brings a tenth
/// more.
struct BulkTrial: BitwiseCopyable {
    private enum Stage: BitwiseCopyable {
        case paced
        /// What was in flight before the trial leaves the link.
        case filling
        /// The next bunch of ACKs begins the measurement.
        case waiting
        case measuring
        case bulk
    }

    /// So much is in flight, in chunks at the measured rate: what a host needs to work in bulk, and
    /// no more than may be sent in vain when the link ends.
    static var span: Microseconds { .milliseconds(250) }
    /// From one ACK to the next, a queue of the link becomes no shorter than by this, or by two
    /// connection intervals, which are an idle round trip.
    private static var drainMax: Microseconds { .milliseconds(40) }
    /// A loss can look like that once: a second time has to follow within so many ACKs.
    private static var acknowledgementCountMax: Int { 8 }
    private static var pauseMin: Microseconds { .seconds(1) }
    private static var pauseMax: Microseconds { .seconds(32) }

    private var stage = Stage.paced
    /// The rate before the trial.
    private var paced: PacingRate?
    private var fillCount: UInt32 = 0
    private var beganAt = Instant(microseconds: 0)
    private var beganAtLeft: UInt32 = 0
    private var lastAt = Instant(microseconds: 0)
    private var lastLeft: UInt32 = 0
    private var lastRoundTrip = Microseconds.zero
    /// The ACKs since a round trip was last so much longer than the next.
    private var acknowledgementCount = Int.max
    private var isDue = false
    private var nextAt = Instant(microseconds: 0)
    /// From a trial in vain to the next.
    private var pause = Self.pauseMin

    init() {}

    /// A trial was in vain.
    private init(after last: BulkTrial, at now: Instant) {
        nextAt = now + last.pause
        pause = min(last.pause * 2, Self.pauseMax)
    }

    /// Whether chunks go out without spaces, in a trial or since one.
    var isBulk: Bool { stage != .paced }

    /// Notes a round trip of a sender that is paced; not soon after a trial in vain, whose own
    /// queue drains.
    mutating func note(_ sample: RateSample) {
        guard stage == .paced, sample.now >= nextAt, let roundTrip = sample.roundTrip else {
            return
        }
        let drained = lastRoundTrip - roundTrip
        lastRoundTrip = roundTrip
        acknowledgementCount = min(acknowledgementCount, Self.acknowledgementCountMax) + 1
        if acknowledgementCount > Self.acknowledgementCountMax { isDue = false }
        guard drained > max(sample.baseRoundTrip, Self.drainMax) else { return }
        isDue = acknowledgementCount <= Self.acknowledgementCountMax
        acknowledgementCount = 0
    }

    /// Startup ended for its round trips, and each of its rounds brought more than the one before:
    /// hosts make such round trips, where chunks are worked off faster the more of them wait. After
    /// a loss it may as well be the link.
    mutating func startupEndedWhileGrowing(_ sample: RateSample) {
        isDue = sample.leftTotal == sample.deliveredTotal
    }

    /// Begins a trial if round trips told of busy hosts.
    mutating func begin(at rate: PacingRate, _ sample: RateSample) -> Bool {
        guard stage == .paced, isDue else { return false }
        stage = .filling
        paced = rate
        fillCount = UInt32(rate.chunkCount(in: Self.span))
        beganAtLeft = sample.leftTotal
        return true
    }

    /// Advances the trial, or what follows it, by an ACK.
    mutating func advance(with sample: RateSample) {
        defer { (lastAt, lastLeft) = (sample.now, sample.leftTotal) }
        switch stage {
        case .paced: return
        case .filling:
            guard sample.leftTotal &- beganAtLeft >= fillCount else { return }
            measure(from: sample.leftTotal, at: sample.now, in: .waiting)
        case .waiting:
            if isBunchBegun(sample) { measure(from: lastLeft, at: sample.now, in: .measuring) }
        case .measuring, .bulk:
            guard sample.now - beganAt >= Self.span, isBunchBegun(sample) else { return }
            let rate = PacingRate(of: lastLeft &- beganAtLeft, in: sample.now - beganAt)
            if isWorthIt(rate) {
                measure(from: lastLeft, at: sample.now, in: .bulk)
                pause = Self.pauseMin
            } else {
                self = BulkTrial(after: self, at: sample.now)
            }
        }
    }

    /// Whether an ACK is the first of a bunch: a measurement that began with one and ended in
    /// the middle of another would be of too much or too little. Where all come one by one, it does
    /// not wait for ever.
    private func isBunchBegun(_ sample: RateSample) -> Bool {
        sample.now - lastAt >= sample.baseRoundTrip / 4 || sample.now - beganAt >= Self.span * 2
    }

    private mutating func measure(from left: UInt32, at now: Instant, in stage: Stage) {
        self.stage = stage
        beganAt = now
        beganAtLeft = left
    }

    /// Once a trial has brought more, only a rate as low as before it ends that.
    private func isWorthIt(_ rate: PacingRate?) -> Bool {
        guard let rate, let paced else { return false }
        return stage == .bulk
            ? rate.nanoseconds < paced.nanoseconds : rate.isTenthFaster(than: paced)
    }
}
