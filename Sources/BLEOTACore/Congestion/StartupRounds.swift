/// The rounds of the automatic window's startup, and the condition that ends it.
///
/// A round ends when a chunk that was sent after the round began is acknowledged. Startup ends
/// when rounds no longer raise the rate, or when they build a queue. If packets are damaged or
/// chunks are lost, a single round is not conclusive: its round trip may be long and its rate
/// low by chance.
struct StartupRounds: BitwiseCopyable {
    private static var countMax: Int { 2 }
    /// The minimum number of chunks in a conclusive round. In a smaller round, a difference of one
    /// chunk can hide growth by a tenth.
    private static var chunkCountMin: UInt32 { 6 }

    private var endsAtDelivered: UInt32 = 0
    private var lostTotal: UInt32 = 0
    /// The number of consecutive rounds with a queue.
    private var queueCount = 0
    /// The number of consecutive rounds without growth. Rounds of many chunks without a loss
    /// count twice.
    private var plateauCount = 0
    /// Whether the last round had too few chunks to be conclusive.
    private var isSmall = false

    var isOver: Bool { queueCount >= Self.countMax || plateauCount >= Self.countMax }

    /// Returns whether a sample ends the current round. If it does, the next round begins.
    mutating func end(with sample: RateSample, hasQueue: Bool) -> Bool {
        guard sample.deliveredWhenSent >= endsAtDelivered else { return false }
        isSmall = sample.deliveredTotal &- endsAtDelivered < Self.chunkCountMin
        endsAtDelivered = sample.deliveredTotal
        if sample.roundTrip != nil { queueCount = hasQueue ? queueCount + 1 : 0 }
        return true
    }

    /// Records whether the last round raised the rate by at least a tenth.
    mutating func measured(_ sample: RateSample, isGrowing: Bool) {
        let lost = sample.leftTotal &- sample.deliveredTotal
        let increment = lost == lostTotal && !isSmall ? Self.countMax : 1
        lostTotal = lost
        plateauCount = isGrowing ? 0 : plateauCount + increment
    }
}
