/// The rounds of an automatic window's startup, and when there were enough of them.
///
/// A round ends when a chunk that was sent after its beginning is acknowledged. Startup is over
/// when rounds bring no more chunks, or a queue. One round says little where packets are damaged or
/// chunks lost: its round trip is long and its rate low by chance.
struct StartupRounds: BitwiseCopyable {
    private static var countMax: Int { 2 }
    /// With fewer chunks one more or less hides a growth by a tenth.
    private static var chunkCountMin: UInt32 { 6 }

    private var endsAtDelivered: UInt32 = 0
    private var lostTotal: UInt32 = 0
    /// How many rounds in a row had a queue.
    private var queueCount = 0
    /// How many rounds in a row brought no more; those of many chunks without loss count twice.
    private var plateauCount = 0
    /// Whether the round that ended last had too few chunks to tell.
    private var isSmall = false

    var isOver: Bool { queueCount >= Self.countMax || plateauCount >= Self.countMax }

    /// Whether a sample ends a round; then the next one begins.
    mutating func end(with sample: RateSample, hasQueue: Bool) -> Bool {
        guard sample.deliveredWhenSent >= endsAtDelivered else { return false }
        isSmall = sample.deliveredTotal &- endsAtDelivered < Self.chunkCountMin
        endsAtDelivered = sample.deliveredTotal
        if sample.roundTrip != nil { queueCount = hasQueue ? queueCount + 1 : 0 }
        return true
    }

    /// Notes whether the round that ended brought at least a tenth more than the one before.
    mutating func measured(_ sample: RateSample, isGrowing: Bool) {
        let lost = sample.leftTotal &- sample.deliveredTotal
        let increment = lost == lostTotal && !isSmall ? Self.countMax : 1
        lostTotal = lost
        plateauCount = isGrowing ? 0 : plateauCount + increment
    }
}
