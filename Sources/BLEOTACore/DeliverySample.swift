/// What one ACK says about the rate of delivery, from the newest chunk it acknowledges first.
struct DeliverySample: BitwiseCopyable {
    /// When the ACK came.
    var now: Instant
    /// All chunks delivered in this epoch.
    var deliveredTotal: UInt32
    /// How many had been delivered when the newest acknowledged chunk was sent: rounds are counted
    /// by it.
    var deliveredWhenSent: UInt32
    /// Whether the sender was held back by credit or had nothing to send, so that the rate says
    /// nothing about the link.
    var isSenderLimited: Bool
}
