/// The `auto` policy: the smallest window that delivers as fast as any.
///
/// It doubles each round trip until the rate of delivery stops growing, and keeps the window that
/// did. From then on it compares: a little less, again and again while that costs no rate; after a
/// rest a little more, while that brings some. What counts is the rate alone, measured over several
/// rounds: round trips on Bluetooth LE say little, since an answer comes in the same connection
/// event or in the next, and loss says nothing, since what is lost was lost to a full queue or a
/// bug, not to a shared bottleneck. spec/notes.md gives the reasons and the arithmetic.
struct AutomaticWindow: BitwiseCopyable {
    private enum Phase: BitwiseCopyable {
        case startup
        /// Measures what the window at rest delivers.
        case resting
        case tryingLess
        case tryingMore
    }

    static var chunkCountFirst: Int { 12 }
    /// Comparisons go no lower: of two polls in a window, the answers take 15 to 20 bytes each, and
    /// for every six chunks of 240 that is one byte in a hundred.
    private static var chunkCountLeast: Int { 12 }
    /// The shortest connection interval. What a link delivers in it is the least window, though
    /// less may do over a loopback: each window has two polls, and those cost their processor time.
    private static var intervalMin: Microseconds { Microseconds(7_500) }
    /// A rate is measured over so many rounds, after one for the window to take effect.
    private static var roundsPerMeasurement: Int { 8 }
    /// After each comparison so many measurements go by until the next; where less was tried in
    /// vain, twice and then four times as many.
    private static var restCount: Int { 4 }
    private static var restDoublingsMax: Int { 2 }
    /// After so many measurements below it, the best rate is that of another link.
    private static var missCountMax: Int { 4 }

    private(set) var chunkCount = AutomaticWindow.chunkCountFirst
    private var phase = Phase.startup
    /// The round ends when a chunk that was sent after its beginning is acknowledged.
    private var roundEndsAtDelivered: UInt32 = 0
    private var roundChunkCount = AutomaticWindow.chunkCountFirst
    private var deliveredTotal: UInt32 = 0
    /// Where the present measurement began: rounds since then, `nil` before the first.
    private var rounds: Int?
    private var beganAt = Instant(microseconds: 0)
    private var beganAtDelivered: UInt32 = 0

    /// The best of all rates, in chunks per second.
    private var bestRate: Int64 = 0
    private var bestChunkCount = AutomaticWindow.chunkCountFirst
    private var roundsWithoutGrowth = 0

    /// The window to return to after a comparison, and its rate.
    private var restingChunkCount = AutomaticWindow.chunkCountFirst
    private var restingRate: Int64 = 0
    private var restsLeft = 0
    private var missCount = 0
    private var missedRates: Int64 = 0
    private var triesLessNext = true
    /// How often in a row less was tried in vain.
    private var vainTryCount = 0

    mutating func acknowledged(_ sample: DeliverySample) {
        let newlyDelivered = sample.deliveredTotal &- deliveredTotal
        deliveredTotal = sample.deliveredTotal
        if phase == .startup, roundsWithoutGrowth == 0 { grow(by: Int(newlyDelivered)) }
        guard sample.deliveredWhenSent >= roundEndsAtDelivered else { return }
        roundEndsAtDelivered = sample.deliveredTotal
        if phase == .startup { endStartupRound(sample) } else { endRound(sample) }
        roundChunkCount = chunkCount
    }

    // MARK: - Startup

    private mutating func grow(by count: Int) {
        chunkCount = min(chunkCount + min(count, chunkCount), WindowPolicy.chunkCountMax)
    }

    private mutating func endStartupRound(_ sample: DeliverySample) {
        defer { beginMeasurement(sample) }
        guard rounds != nil, let rate = rate(until: sample), !sample.isSenderLimited else { return }
        if rate * 10 >= bestRate * 11 {
            bestRate = rate
            bestChunkCount = roundChunkCount
            roundsWithoutGrowth = 0
        } else {
            roundsWithoutGrowth += 1
            guard roundsWithoutGrowth >= 2 else { return }
            // A tenth less than the best would still have counted as no growth.
            rest(at: bestChunkCount * 5 / 4)
        }
    }

    // MARK: - Comparisons

    private mutating func endRound(_ sample: DeliverySample) {
        if sample.isSenderLimited {
            rounds = nil
            return
        }
        guard let count = rounds else { return beginMeasurement(sample) }
        rounds = count + 1
        // The first round still has chunks in flight that the last window let out.
        if count == 0 { return beginMeasurement(sample, afterRounds: 1) }
        guard let rate = rate(until: sample) else { return }
        // Below some window the rate may fall to a quarter at once: an event ends when nothing
        // waits. Two rounds tell.
        let isMuchLess = phase == .tryingLess && count >= 2 && rate * 8 < bestRate * 7
        guard isMuchLess || count >= Self.roundsPerMeasurement else { return }
        compare(rate)
        beginMeasurement(sample)
    }

    private mutating func compare(_ rate: Int64) {
        let isFull = rate * 50 >= bestRate * 49
        bestRate = max(bestRate, rate)
        switch phase {
        case .startup: break
        case .resting:
            isFull ? rested(rate) : missed(rate)
        case .tryingLess:
            guard isFull, chunkCount > leastChunkCount else {
                if isFull { restingChunkCount = chunkCount }
                triesLessNext = false
                vainTryCount = min(vainTryCount + 1, Self.restDoublingsMax)
                return rest(at: restingChunkCount)
            }
            vainTryCount = 0
            restingChunkCount = chunkCount
            tryLess()
        case .tryingMore:
            let isBetter = rate * 100 >= restingRate * 103
            if isBetter {
                vainTryCount = 0
                restingChunkCount = chunkCount
                restingRate = rate
            }
            guard isBetter, chunkCount < WindowPolicy.chunkCountMax else {
                triesLessNext = true
                return rest(at: restingChunkCount)
            }
            tryMore()
        }
    }

    private mutating func rested(_ rate: Int64) {
        restingRate = rate
        missCount = 0
        missedRates = 0
        if restsLeft > 0 {
            restsLeft -= 1
        } else {
            triesLessNext ? tryLess() : tryMore()
        }
    }

    /// One rate that is too low is chance, on a radio that repeats what it lost; of several in a
    /// row the mean is what the link delivers now. More is then tried against that.
    private mutating func missed(_ rate: Int64) {
        missCount += 1
        missedRates += rate
        guard missCount >= Self.missCountMax else { return }
        restingRate = missedRates / Int64(missCount)
        bestRate = restingRate
        missCount = 0
        missedRates = 0
        tryMore()
    }

    private mutating func rest(at count: Int) {
        phase = .resting
        chunkCount = min(max(count, leastChunkCount), WindowPolicy.chunkCountMax)
        restingChunkCount = chunkCount
        restsLeft = Self.restCount << vainTryCount
    }

    private mutating func tryLess() {
        phase = .tryingLess
        chunkCount = max(restingChunkCount * 7 / 8, leastChunkCount)
    }

    private var leastChunkCount: Int {
        let delivered = bestRate * Self.intervalMin.rawValue / 1_000_000
        return min(max(Int(delivered), Self.chunkCountLeast), WindowPolicy.chunkCountMax)
    }

    private mutating func tryMore() {
        phase = .tryingMore
        chunkCount = min(restingChunkCount * 5 / 4 + 1, WindowPolicy.chunkCountMax)
    }

    // MARK: - Measurements

    private mutating func beginMeasurement(_ sample: DeliverySample, afterRounds count: Int = 0) {
        rounds = count
        beganAt = sample.now
        beganAtDelivered = sample.deliveredTotal
    }

    /// Chunks per second since the measurement began; `nil` where no time has passed.
    private func rate(until sample: DeliverySample) -> Int64? {
        let elapsed = (sample.now - beganAt).rawValue
        guard elapsed > 0 else { return nil }
        return Int64(sample.deliveredTotal &- beganAtDelivered) * 1_000_000 / elapsed
    }
}
