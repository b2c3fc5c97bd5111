/// Tests whether more chunks arrive if they are sent without pacing.
///
/// A radio sends queued data at its own pace, however the data was queued. Hosts behave
/// differently: a busy host processes many chunks at once in less time than one after another. If
/// hosts are the bottleneck, answers come in bunches, and one round trip is much longer than the
/// next. The sender then keeps a quarter of a second's worth of chunks in flight as a trial. If the
/// trial raises the rate by a tenth, the sender continues in this mode until the rate falls to its
/// level before the trial.
struct BulkTrial: BitwiseCopyable {
    private enum Stage: BitwiseCopyable {
        case paced
        /// The chunks that were in flight before the trial are leaving the link.
        case filling
        /// The measurement begins with the next bunch of ACKs.
        case waiting
        case measuring
        case bulk
    }

    /// The number of chunks in flight during a trial, expressed as a time at the measured rate.
    /// It is enough for a host to work in bulk, and few chunks are wasted if the link is lost.
    static var span: Microseconds { .milliseconds(250) }
    /// Between two ACKs, a link's queue shortens by at most the longer of this time and an idle
    /// round trip (two connection intervals).
    private static var drainMax: Microseconds { .milliseconds(40) }
    /// A single loss can look like a busy host, so a second sign must follow within this many
    /// ACKs.
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
    /// The number of ACKs since a round trip was last much shorter than the one before it.
    private var acknowledgementCount = Int.max
    private var isDue = false
    private var nextAt = Instant(microseconds: 0)
    /// The pause from an unsuccessful trial to the next one.
    private var pause = Self.pauseMin

    init() {}

    /// Begins the pause after an unsuccessful trial.
    private init(after last: BulkTrial, at now: Instant) {
        nextAt = now + last.pause
        pause = min(last.pause * 2, Self.pauseMax)
    }

    /// Whether chunks are sent without pacing, in a trial or after a successful one.
    var isBulk: Bool { stage != .paced }

    /// Looks for signs of busy hosts in the round trips of a paced sender. Samples soon after
    /// an unsuccessful trial are ignored while the queue of that trial drains.
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

    /// Schedules a trial after a startup that ended because of a queue although its last round
    /// still raised the rate. Hosts cause such queues if they process chunks faster when more
    /// chunks are waiting. After a loss, the link may equally be the cause, and no trial is
    /// scheduled.
    mutating func startupEndedWhileGrowing(_ sample: RateSample) {
        isDue = sample.leftTotal == sample.deliveredTotal
    }

    /// Begins a trial if the round trips indicate busy hosts. Returns whether it began.
    mutating func begin(at rate: PacingRate, _ sample: RateSample) -> Bool {
        guard stage == .paced, isDue else { return false }
        stage = .filling
        paced = rate
        fillCount = UInt32(rate.chunkCount(in: Self.span))
        beganAtLeft = sample.leftTotal
        return true
    }

    /// Advances the trial, or the bulk mode after it, by one ACK.
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

    /// Whether an ACK is the first of a bunch. A measurement from the beginning of one bunch to
    /// the middle of another would count too many or too few chunks. If ACKs arrive one by one,
    /// the wait for a bunch ends after a time limit.
    private func isBunchBegun(_ sample: RateSample) -> Bool {
        sample.now - lastAt >= sample.baseRoundTrip / 4 || sample.now - beganAt >= Self.span * 2
    }

    private mutating func measure(from left: UInt32, at now: Instant, in stage: Stage) {
        self.stage = stage
        beganAt = now
        beganAtLeft = left
    }

    /// Whether the rate justifies bulk mode. After a successful trial, bulk mode ends only if
    /// the rate falls to its level before the trial.
    private func isWorthIt(_ rate: PacingRate?) -> Bool {
        guard let rate, let paced else { return false }
        return stage == .bulk
            ? rate.nanoseconds < paced.nanoseconds : rate.isTenthFaster(than: paced)
    }
}
