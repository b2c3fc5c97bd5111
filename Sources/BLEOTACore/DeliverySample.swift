/// What one ACK says about the rate of delivery, from the newest chunk it acknowledges first.
struct DeliverySample: BitwiseCopyable {
    /// When the ACK came.
    var now: Instant
    /// Chunks delivered since the newest acknowledged chunk was sent.
    var deliveredChunkCount: UInt32
    /// The time in which they were.
    var elapsed: Microseconds
    /// All chunks delivered in this epoch.
    var deliveredTotal: UInt32
    /// How many had been delivered when the newest acknowledged chunk was sent: rounds are counted
    /// by it.
    var deliveredWhenSent: UInt32
    /// The shortest round trip ever seen.
    var shortestRoundTrip: Microseconds
    /// The round trip of this ACK, if it gave one.
    var roundTrip: Microseconds?
    /// Whether the sender was held back by credit or had nothing to send, so that the rate says
    /// nothing about the link.
    var isSenderLimited: Bool
}
