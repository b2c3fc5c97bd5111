/// The `auto` policy: as fast as the link delivers, and little more in the host's queue than one to
/// two connection events send.
///
/// It begins with about what a connection event sends, and adds a half each round trip until that
/// brings no more, or a queue. From then on chunks go out at the rate at which they arrive, a
/// little faster while they wait less than 0.8 connection intervals, a little slower while they
/// wait longer, for an event that finds an empty queue ends early. The window is then only a limit,
/// wide enough for ACKs to be rare. Loss changes nothing: what is lost above the link layer was
/// lost to a full queue or a bug, not to a shared bottleneck. spec/notes.md has the reasons and the
/// measurements.
struct AutomaticWindow: BitwiseCopyable {
    private enum Phase: BitwiseCopyable {
        case startup
        case steady
    }

    private static var chunkCountFirstMax: Int { 64 }
    /// From one ACK to the next that is asked for: so seldom that they cost little air, so
    /// often that the rate is known.
    private static var acknowledgementInterval: Microseconds { .milliseconds(100) }
    /// Faster than any Bluetooth LE: such links have no connection events, and timers cost more
    /// than they give.
    private static var pacedSpacingMin: Microseconds { Microseconds(100) }
    /// An ACK may be late by so much because a host was busy, which is no reason to stop. If it is
    /// the link that stands still, so much goes into the queue.
    private static var latenessMax: Microseconds { .milliseconds(40) }
    /// How much faster it gets at once while nothing waits.
    private static var climbPercentMax: Int64 { 25 }
    private static var climbIntervalMin: Microseconds { .milliseconds(20) }

    private(set) var chunkCount: Int
    /// After so many chunks an ACK is wanted.
    private(set) var pollInterval: Int
    private var phase = Phase.startup
    /// Whether credit or the object's end, and not the link, held the sender back at last.
    private var isHeldBack = false
    /// Of startup: a window goes out in a connection interval and not at once, so that what waits
    /// is more than the link carries.
    private var startRate: PacingRate?
    private var grain = Microseconds.zero
    private var deliveredTotal: UInt32 = 0
    private var rounds = StartupRounds()
    /// Where the present measurement of the rate began.
    private var beganAt: Instant?
    private var beganAtLeft: UInt32 = 0
    /// The higher of the last two rates, and their mean.
    private var rate: PacingRate?
    private var meanRate: PacingRate?
    private var lastRate: PacingRate?
    private var delay = QueueDelay()
    /// Up to three: one more where chunks waited less than three quarters of what they should, two
    /// more for less than one quarter, and two less else.
    private var shortDelayCount = 0
    private var correctionPercent: Int64 = 0
    private var ditherNumber = 0
    private var pacer = Pacer()
    private var bulk = BulkTrial()

    /// - Parameter frameByteCount: of a data frame, with its header.
    init(baseRoundTrip: BaseRoundTrip, frameByteCount: Int) {
        let interval = baseRoundTrip.span.rawValue / 2
        // What does not fit the next connection event is answered an event later, so that the first
        // chunks of all are fewer.
        let room = baseRoundTrip.isConfirmed ? interval : interval * 3 / 4
        let count = room / Self.airTime(ofFrame: frameByteCount).rawValue
        chunkCount = Int(min(max(count, 2), Int64(Self.chunkCountFirstMax)))
        // Of a window that is sent whole and then answered, the answer takes an idle round trip.
        pollInterval = baseRoundTrip.isConfirmed ? max(chunkCount / 2, 1) : chunkCount
    }

    /// About how long a frame takes on 1M, with what answers its packets and the spaces between:
    /// the slowest link that is common, so that the first window fits one event of any.
    private static func airTime(ofFrame byteCount: Int) -> Microseconds {
        let valueByteCount = byteCount + 7
        let packetCount = (valueByteCount + 250) / 251
        return Microseconds(Int64(packetCount * 460 + 8 * valueByteCount))
    }

    /// Whether it spreads chunks over time.
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

    /// When the next chunk may be sent; `nil` if that is now.
    var opensAt: Instant? { pacer.opensAt }

    mutating func chunkSent(at now: Instant) {
        guard let pace else { return }
        pacer.chunkSent(at: now, rate: pace, grain: grain)
    }

    mutating func update(at now: Instant) { pacer.update(at: now) }

    mutating func acknowledged(_ sample: RateSample) {
        let newlyDelivered = sample.deliveredTotal &- deliveredTotal
        deliveredTotal = sample.deliveredTotal
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
        // Chunks that had been sent before come in bursts, which are no rate.
        if sample.roundTrip == nil, let beganAt, sample.now - beganAt < sample.baseRoundTrip / 2 {
            return
        }
        guard rounds.end(with: sample, hasQueue: hasQueue) else { return }
        guard !isHeldBack, var measured = measure(until: sample) else {
            return beginMeasurement(sample)
        }
        if let newest = sample.rate { measured = newest.faster(of: measured) }
        beginMeasurement(sample)
        let isGrowing = rate.map { measured.isTenthFaster(than: $0) } ?? true
        record(measured, sample)
        rounds.measured(sample, isGrowing: isGrowing)
        if rounds.isOver {
            phase = .steady
            if isGrowing { bulk.startupEndedWhileGrowing(sample) }
            steer(sample)
        }
    }

    // MARK: - From then on

    private mutating func steadyState(_ sample: RateSample) {
        bulk.advance(with: sample)
        // What credit or the object's end held back says nothing about the link, and has no queue.
        isHeldBack = sample.isSenderLimited
        guard !isHeldBack else {
            beganAt = nil
            return
        }
        guard let beganAt else { return beginMeasurement(sample) }
        // Whole connection events count: over less time, one more or less is too much of an error,
        // but for a rate that is far from right.
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
        // The answer takes a round trip; until it is there, the rest of the window goes out.
        let rest = rate.chunkCount(in: roundTrip) + 2
        pollInterval = max((polled + 1) / 2, polled - rest)
        if isClimbing { pollInterval = max(pollInterval * 2 / 3, 1) }
        let late = isClimbing ? 0 : rate.chunkCount(in: Self.latenessMax)
        chunkCount = min(max(polled + late, 3), WindowPolicy.chunkCountMax)
    }

    /// In a trial, and since one that was worth it.
    private mutating func keepFull(at rate: PacingRate) {
        chunkCount = min(max(rate.chunkCount(in: BulkTrial.span), 3), WindowPolicy.chunkCountMax)
        pollInterval = (chunkCount + 1) / 2
        (correctionPercent, shortDelayCount) = (0, 0)
    }

    /// Whether more may pass, since nothing waits for long: then it is asked sooner, and goes up
    /// faster.
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
            // Nothing is known: what was sent again tells no round trip.
            correctionPercent = min(correctionPercent, 0)
            return
        }
        let gain: Int64 = isClimbing ? 100 : 50
        let percent = (target - wait).rawValue * gain / acknowledgementInterval(sample).rawValue
        correctionPercent = min(max(percent, -5), isClimbing ? Self.climbPercentMax : 10)
    }

    /// Nothing to three quarters of a connection interval, so that ACKs are asked for at any
    /// point of it. How long a chunk waits depends on that: at one point, events that are half
    /// empty and such that leave a queue look alike.
    private mutating func nextDither(_ sample: RateSample) -> Microseconds {
        ditherNumber = (ditherNumber + 1) % 4
        let quarters: Int64 =
            switch ditherNumber {
            case 0: 0
            case 1: 2
            case 2: 1
            default: 3
            }
        return Microseconds(sample.baseRoundTrip.rawValue * quarters / 8)
    }

    private func baseRoundTrip(_ sample: RateSample) -> Microseconds {
        max(sample.baseRoundTrip, atMost(delay.idleMin, sample))
    }

    /// What is taken for no queue may be one, so it counts up to four idle round trips.
    private func atMost(_ span: Microseconds, _ sample: RateSample) -> Microseconds {
        min(span, sample.baseRoundTrip * 4)
    }

    // MARK: - Measurements

    private mutating func beginMeasurement(_ sample: RateSample) {
        beganAt = sample.now
        beganAtLeft = sample.leftTotal
    }

    /// The rate since the measurement began, of chunks that were lost too: they passed the queue.
    private func measure(until sample: RateSample) -> PacingRate? {
        guard let beganAt else { return nil }
        return PacingRate(of: sample.leftTotal &- beganAtLeft, in: sample.now - beganAt)
    }

    private mutating func record(_ measured: PacingRate, _ sample: RateSample) {
        // Where much is lost and little of it known, a rate would follow what arrives of it, down
        // to nothing; a chunk in four connection intervals is what any link can carry.
        let slowest = PacingRate(of: 1, in: sample.baseRoundTrip * 2)
        let measured = slowest.map { measured.faster(of: $0) } ?? measured
        let last = lastRate ?? measured
        rate = measured.faster(of: last)
        meanRate = .mean(last, measured)
        lastRate = phase == .startup ? rate : measured
    }
}
