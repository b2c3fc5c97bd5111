/// The `auto` policy: doubles each round trip until the rate of delivery stops growing, then keeps
/// one and a half times what the link delivers in its shortest round trip, and tries a quarter
/// more every eighth round.
///
/// Loss alone never shrinks it for long: on Bluetooth LE what is lost was lost to a full queue or a
/// bug, not to a shared bottleneck. Growth of the round trip is what shows a queue that hides in a
/// daemon. spec/notes.md gives the arithmetic of the constants.
struct AutomaticWindow: BitwiseCopyable {
    private enum Phase: BitwiseCopyable {
        case startup
        case steady
    }

    static var chunkCountMin: Int { 4 }
    static var chunkCountFirst: Int { 12 }
    /// No Bluetooth link has a shorter round trip than its shortest connection interval; below
    /// that, what is measured is the scheduler of a loopback, and a window cut to it would only
    /// cost CPU.
    static var roundTripFloor: Microseconds { Microseconds(7_500) }

    private(set) var chunkCount = AutomaticWindow.chunkCountFirst
    private var phase = Phase.startup
    /// The round ends when a chunk that was sent after its beginning is acknowledged.
    private var roundEndsAtDelivered: UInt32 = 0
    private var roundNumber: UInt32 = 0
    /// Chunks per second: the best of the present and of the last rounds.
    private var bestRate: Int64 = 0
    private var bestRateRound: UInt32 = 0
    private var roundBestRate: Int64 = 0
    private var rateAtLastGrowth: Int64 = 0
    private var roundsWithoutGrowth = 0
    private var lossRound: UInt32?
    private var deliveredTotal: UInt32 = 0

    mutating func acknowledged(_ sample: DeliverySample) {
        take(rateOf: sample)
        let isRoundOver = sample.deliveredWhenSent >= roundEndsAtDelivered
        if isRoundOver {
            roundEndsAtDelivered = sample.deliveredTotal
            roundNumber &+= 1
        }
        // What this ACK alone brought: the sample's own count is of a whole round trip.
        let newlyDelivered = sample.deliveredTotal &- deliveredTotal
        deliveredTotal = sample.deliveredTotal
        switch phase {
        case .startup:
            grow(by: Int(newlyDelivered))
            if isRoundOver { leaveStartupIfFull(sample) }
        case .steady:
            if isRoundOver { chunkCount = steadyChunkCount(sample) }
        }
        if isRoundOver { roundBestRate = 0 }
    }

    mutating func lost(_ loss: LossSample) {
        // At most once a round, and never below what the link delivers in a round trip: the
        // next round sets the window by the rate again.
        guard lossRound != roundNumber else { return }
        lossRound = roundNumber
        if phase == .startup, bestRate > 0 { phase = .steady }
        chunkCount = max(chunkCount * 7 / 10, Self.chunkCountMin)
    }

    private mutating func take(rateOf sample: DeliverySample) {
        guard sample.elapsed > .zero, sample.deliveredChunkCount > 0 else { return }
        let rate = Int64(sample.deliveredChunkCount) * 1_000_000 / sample.elapsed.rawValue
        roundBestRate = max(roundBestRate, rate)
        if rate >= bestRate || (!sample.isSenderLimited && roundNumber &- bestRateRound > 10) {
            bestRate = rate >= bestRate ? rate : roundBestRate
            bestRateRound = roundNumber
        }
    }

    private mutating func grow(by chunkCount: Int) {
        self.chunkCount = min(
            self.chunkCount + min(chunkCount, self.chunkCount),
            WindowPolicy.chunkCountMax
        )
    }

    private mutating func leaveStartupIfFull(_ sample: DeliverySample) {
        if sample.isSenderLimited { return }
        if bestRate * 10 >= rateAtLastGrowth * 11 {
            rateAtLastGrowth = bestRate
            roundsWithoutGrowth = 0
        } else {
            roundsWithoutGrowth += 1
            if roundsWithoutGrowth >= 2 {
                phase = .steady
                chunkCount = steadyChunkCount(sample)
            }
        }
    }

    /// 1.5 × rate × round trip, and 1.875 × every eighth round.
    private func steadyChunkCount(_ sample: DeliverySample) -> Int {
        let roundTrip = max(sample.shortestRoundTrip, Self.roundTripFloor)
        let product = bestRate * roundTrip.rawValue / 1_000_000
        let wanted = roundNumber % 8 == 0 ? product * 15 / 8 : product * 3 / 2
        return min(max(Int(wanted) + 1, Self.chunkCountMin), WindowPolicy.chunkCountMax)
    }
}
