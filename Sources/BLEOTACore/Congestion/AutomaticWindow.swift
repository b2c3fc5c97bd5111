/// The `auto` policy: sends as fast as the link delivers, with little more data in the host's queue
/// than one or two connection events can carry.
///
/// The window starts at about one connection event's worth of chunks and grows by half in each
/// round trip until growth either stops raising the rate or builds a queue. From then on,
/// chunks are sent at the measured delivery rate: slightly faster while they wait for less than
/// 0.8 connection intervals, and slightly slower while they wait longer. A short queue is
/// needed because a connection event ends early if it finds the queue empty. The window is then
/// only a limit, wide enough for ACKs to be infrequent. A loss does not slow the sender down:
/// chunks are lost above the link layer because of a full queue or a bug, not because of a
/// shared bottleneck. spec/notes.md gives the reasons and the measurements.
struct AutomaticWindow: BitwiseCopyable {
    private enum Phase: BitwiseCopyable {
        case startup
        case steady
    }

    private static var chunkCountFirstMax: Int { 64 }
    /// The time from one requested ACK to the next: long enough that ACKs take little airtime,
    /// and short enough to keep the measured rate current.
    private static var acknowledgementInterval: Microseconds { .milliseconds(100) }
    /// The shortest spacing at which chunks are paced. Faster links are not Bluetooth LE: they have
    /// no connection events, and on them timers cost more than pacing gains.
    private static var pacedSpacingMin: Microseconds { Microseconds(100) }
    /// The window has room for ACKs that are late by this much, because the sender should not
    /// stop whenever a host is busy. If the link itself stalls, the queue grows by as much data as
    /// is sent in this time.
    private static var latenessMax: Microseconds { .milliseconds(40) }
    /// The largest increase in the rate in one correction while climbing, in percent.
    private static var climbPercentMax: Int64 { 25 }
    private static var climbIntervalMin: Microseconds { .milliseconds(20) }

    private(set) var chunkCount: Int
    /// The number of chunks after which to request an ACK.
    private(set) var pollInterval: Int
    private var phase = Phase.startup
    /// Whether the credit or the end of the object, and not the link, last limited the sender.
    private var isHeldBack = false
    /// The pace during startup: one window per connection interval. Because the chunks are spread
    /// out, a queue forms only if the pace exceeds the rate that the link carries.
    private var startRate: PacingRate?
    private var grain = Microseconds.zero
    private var last: (deliveredTotal: UInt32, leftTotal: UInt32) = (0, 0)
    /// The chunks that have left the link's queue. A paced sender counts lost chunks, too. Without
    /// pacing, lost chunks may have found no room in a queue, and count for nothing.
    private var leftTotal: UInt32 = 0
    private var rounds = StartupRounds()
    /// The time at which the current measurement of the rate began.
    private var beganAt: Instant?
    private var beganAtLeft: UInt32 = 0
    /// The higher of the last two measured rates, and the mean of the two.
    private var rate: PacingRate?
    private var meanRate: PacingRate?
    private var lastRate: PacingRate?
    private var delay = QueueDelay()
    /// A measure of recent short waits, 0 to 3. A wait of less than three quarters of the
    /// target adds 1, and a wait of less than one quarter adds 2. Any other wait subtracts 2.
    private var shortDelayCount = 0
    private var correctionPercent: Int64 = 0
    private var ditherNumber = 0
    private var pacer = Pacer()
    private var bulk = BulkTrial()

    /// - Parameter frameByteCount: the length of a data frame, including its header.
    init(baseRoundTrip: BaseRoundTrip, frameByteCount: Int) {
        let interval = baseRoundTrip.span.rawValue / 2
        // A chunk that misses the next connection event is answered one event later, so the
        // very first window is smaller.
        let room = baseRoundTrip.isConfirmed ? interval : interval * 3 / 4
        let count = room / Self.airTime(ofFrame: frameByteCount).rawValue
        chunkCount = Int(min(max(count, 2), Int64(Self.chunkCountFirstMax)))
        // If a whole window is sent before it is answered, the answer takes an idle round trip.
        pollInterval = baseRoundTrip.isConfirmed ? max(chunkCount / 2, 1) : chunkCount
    }

    /// The approximate airtime of a frame on the 1M PHY, including the replies to its packets and
    /// the spaces between them. 1M is the slowest uncoded PHY, so the first window fits in one
    /// connection event over any uncoded PHY.
    private static func airTime(ofFrame byteCount: Int) -> Microseconds {
        let valueByteCount = byteCount + 7
        let packetCount = (valueByteCount + 250) / 251
        return Microseconds(Int64(packetCount * 460 + 8 * valueByteCount))
    }

    /// Whether the window currently spreads chunks over time.
    var isPaced: Bool { pace != nil }

    private var pace: PacingRate? {
        guard !isHeldBack, !bulk.isBulk else { return nil }
        switch phase {
        case .startup: return startRate
        case .steady:
            guard let rate, rate.nanoseconds >= Self.pacedSpacingMin.rawValue * 1_000,
                let base = correctionPercent < 0 ? meanRate : rate
            else { return nil }
            return base.faster(byPercent: correctionPercent)
        }
    }

    /// The time at which the next chunk may be sent, or `nil` if it may be sent now.
    var opensAt: Instant? { pacer.opensAt }

    mutating func chunkSent(at now: Instant) {
        guard let pace else { return }
        pacer.chunkSent(at: now, rate: pace, grain: grain)
    }

    mutating func update(at now: Instant) { pacer.update(at: now) }

    mutating func acknowledged(_ sample: RateSample) {
        let newlyDelivered = sample.deliveredTotal &- last.deliveredTotal
        leftTotal &+= bulk.isBulk ? newlyDelivered : sample.leftTotal &- last.leftTotal
        last = (sample.deliveredTotal, sample.leftTotal)
        var sample = sample
        sample.leftTotal = leftTotal
        grain = sample.baseRoundTrip / 12
        bulk.note(sample)
        switch phase {
        case .startup: startup(sample, newlyDelivered: Int(newlyDelivered))
        case .steady: steadyState(sample)
        }
    }

    // MARK: - Startup

    private mutating func startup(_ sample: RateSample, newlyDelivered: Int) {
        let hasQueue =
            (sample.roundTrip ?? .zero).rawValue * 5 > sample.baseRoundTrip.rawValue * 6
        if let roundTrip = sample.roundTrip { delay.note(roundTrip) }
        isHeldBack = sample.isSenderLimited
        if !hasQueue, !isHeldBack {
            let more = max(min(newlyDelivered, chunkCount) / 2, 1)
            chunkCount = min(chunkCount + more, WindowPolicy.chunkCountMax)
            pollInterval = (chunkCount + 1) / 2
        }
        startRate =
            sample.isFast
            ? nil : PacingRate(of: UInt32(chunkCount), in: sample.baseRoundTrip / 2)
        // Acknowledgements of retransmitted chunks come in bursts, which say nothing about the
        // rate.
        if sample.roundTrip == nil, let beganAt, sample.now - beganAt < sample.baseRoundTrip / 2 {
            return
        }
        guard rounds.end(with: sample, hasQueue: hasQueue) else { return }
        defer { beginMeasurement(sample) }
        guard !isHeldBack, var measured = measure(until: sample) else { return }
        if let newest = sample.rate { measured = newest.faster(of: measured) }
        let isGrowing = rate.map { measured.isTenthFaster(than: $0) } ?? true
        record(measured, sample)
        rounds.measured(sample, isGrowing: isGrowing)
        if rounds.isOver {
            phase = .steady
            if isGrowing { bulk.startupEndedWhileGrowing(sample) }
            steer(sample)
        }
    }

    // MARK: - Steady state

    private mutating func steadyState(_ sample: RateSample) {
        bulk.advance(with: sample)
        // While the credit or the end of the object limits the sender, there is no queue, and
        // the rate says nothing about the link.
        isHeldBack = sample.isSenderLimited
        guard !isHeldBack else {
            beganAt = nil
            return
        }
        guard let beganAt else { return beginMeasurement(sample) }
        // Measurements span several connection events. Over a shorter time, one event more or
        // less is too large an error, except when the rate is still far too low.
        let idle = baseRoundTrip(sample)
        let least =
            isClimbing ? max(idle, Self.climbIntervalMin) : idle * 2 + .milliseconds(20)
        if sample.now - beganAt >= least, let measured = measure(until: sample) {
            record(measured.bounded(by: rate), sample)
            beginMeasurement(sample)
        }
        steer(sample)
    }

    private mutating func steer(_ sample: RateSample) {
        guard let rate else { return }
        if bulk.isBulk || bulk.begin(at: rate, sample) { return keepFull(at: rate) }
        let idle = baseRoundTrip(sample)
        let target = delay.target(baseRoundTrip: idle, first: sample.baseRoundTrip)
        let wait = sample.roundTrip.map {
            delay.record(
                $0,
                target: target,
                drained: acknowledgementInterval(sample) * Int(-min(correctionPercent, 0)) / 100
            )
        }
        noteShortDelay(wait, target: target)
        correct(wait, target: target, sample)
        let roundTrip = max(idle, atMost(delay.shortest ?? .zero, sample) + sample.baseRoundTrip)
        let interval = acknowledgementInterval(sample)
        let polled = rate.chunkCount(in: interval + nextDither(sample) + roundTrip) + 2
        // The answer takes a round trip. Until it arrives, the rest of the window is sent.
        let rest = rate.chunkCount(in: roundTrip) + 2
        pollInterval = max((polled + 1) / 2, polled - rest)
        if isClimbing { pollInterval = max(pollInterval * 2 / 3, 1) }
        let late = isClimbing ? 0 : rate.chunkCount(in: Self.latenessMax)
        chunkCount = min(max(polled + late, 3), WindowPolicy.chunkCountMax)
    }

    /// Sets the window for a bulk trial and for the time after a successful one.
    private mutating func keepFull(at rate: PacingRate) {
        chunkCount = min(max(rate.chunkCount(in: BulkTrial.span), 3), WindowPolicy.chunkCountMax)
        pollInterval = (chunkCount + 1) / 2
        (correctionPercent, shortDelayCount) = (0, 0)
    }

    /// Whether the link may carry more, because recent waits were short. The sender then
    /// requests ACKs sooner and raises its rate faster.
    private var isClimbing: Bool { shortDelayCount == 3 }

    private func acknowledgementInterval(_ sample: RateSample) -> Microseconds {
        isClimbing
            ? max(sample.baseRoundTrip, Self.climbIntervalMin)
            : max(Self.acknowledgementInterval, sample.baseRoundTrip * 2)
    }

    private mutating func noteShortDelay(_ wait: Microseconds?, target: Microseconds) {
        guard let wait, wait * 4 < target * 3 else {
            shortDelayCount = max(shortDelayCount - 2, 0)
            return
        }
        shortDelayCount = min(shortDelayCount + (wait * 4 < target ? 2 : 1), 3)
    }

    private mutating func correct(
        _ wait: Microseconds?,
        target: Microseconds,
        _ sample: RateSample
    ) {
        guard let wait else {
            // The wait is unknown: a retransmitted chunk gives no round trip.
            correctionPercent = min(correctionPercent, 0)
            return
        }
        let gain: Int64 = isClimbing ? 100 : 50
        let percent = (target - wait).rawValue * gain / acknowledgementInterval(sample).rawValue
        correctionPercent = min(max(percent, -5), isClimbing ? Self.climbPercentMax : 10)
    }

    /// Returns a delay of 0 to 3/4 of a connection interval, so that ACKs are requested at
    /// varying points of the interval. How long a chunk waits depends on this point. If the point
    /// were always the same, half-empty connection events could cause the same waits as full ones
    /// after which chunks are still queued.
    private mutating func nextDither(_ sample: RateSample) -> Microseconds {
        ditherNumber = (ditherNumber + 1) % 4
        // The two bits of the number in reverse order: 0, 2, 1, 3.
        let quarterCount = (ditherNumber & 1) << 1 | ditherNumber >> 1
        return sample.baseRoundTrip * quarterCount / 8
    }

    private func baseRoundTrip(_ sample: RateSample) -> Microseconds {
        max(sample.baseRoundTrip, atMost(delay.idleMin, sample))
    }

    /// Limits a delay to four idle round trips, because a delay that was not attributed to a queue
    /// may still be caused by one.
    private func atMost(_ span: Microseconds, _ sample: RateSample) -> Microseconds {
        min(span, sample.baseRoundTrip * 4)
    }

    // MARK: - Measurements

    private mutating func beginMeasurement(_ sample: RateSample) {
        beganAt = sample.now
        beganAtLeft = sample.leftTotal
    }

    /// Returns the rate since the measurement began. Lost chunks count because they also left
    /// the queue.
    private func measure(until sample: RateSample) -> PacingRate? {
        guard let beganAt else { return nil }
        return PacingRate(of: sample.leftTotal &- beganAtLeft, in: sample.now - beganAt)
    }

    private mutating func record(_ measured: PacingRate, _ sample: RateSample) {
        // If many chunks were lost and few of the losses were known, the measured rate would
        // follow the arrivals down to zero. Any link can carry one chunk in four connection
        // intervals.
        let slowest = PacingRate(of: 1, in: sample.baseRoundTrip * 2)
        let measured = slowest.map { measured.faster(of: $0) } ?? measured
        let last = lastRate ?? measured
        rate = measured.faster(of: last)
        meanRate = .mean(last, measured)
        lastRate = phase == .startup ? rate : measured
    }
}
