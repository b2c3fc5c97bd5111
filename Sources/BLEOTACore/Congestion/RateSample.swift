/// What one ACK says about the rate of delivery, from the newest chunk it acknowledges first.
struct RateSample: BitwiseCopyable {
    /// When the ACK came.
    var now: Instant
    /// All chunks delivered in this epoch.
    var deliveredTotal: UInt32
    /// All transmissions of this epoch that were delivered or taken for lost: what the link's
    /// queue is rid of. Where order is not kept only the delivered: what was overtaken may arrive.
    var leftTotal: UInt32
    /// How many had been delivered when the newest acknowledged chunk was sent: rounds are counted
    /// by it.
    var deliveredWhenSent: UInt32
    /// Whether the sender was held back by credit or had nothing to send, so that the rate says
    /// nothing about the link.
    var isSenderLimited: Bool
    /// From the sending of the newest acknowledged chunk to the ACK, less the receiver's own delay;
    /// `nil` where the chunk was sent more than once, or the delay is unknown.
    var roundTrip: Microseconds?
    /// The round trip of the idle link.
    var baseRoundTrip: Microseconds

    /// How fast chunks arrived while the newest was on its way, over an idle round trip at least.
    var rate: PacingRate? {
        guard let roundTrip else { return nil }
        return PacingRate(
            of: deliveredTotal &- deliveredWhenSent,
            in: max(roundTrip, baseRoundTrip)
        )
    }

    /// Whether answers come sooner than over Bluetooth LE.
    var isFast: Bool { baseRoundTrip <= BaseRoundTrip.shortest }
}
