/// A sample of the delivery rate from one ACK and the most recently sent chunk that it newly
/// acknowledges.
struct RateSample: BitwiseCopyable {
    /// The time at which the ACK arrived.
    var now: Instant
    /// The number of chunks delivered in this epoch.
    var deliveredTotal: UInt32
    /// The number of transmissions in this epoch that have left the link's queue, either
    /// delivered or considered lost; see ``InFlightTable/leftTotal(keepsOrder:)``. It never falls.
    var leftTotal: UInt32
    /// The number of chunks that had been delivered when the newest acknowledged chunk was
    /// sent. Startup uses it to count rounds.
    var deliveredWhenSent: UInt32
    /// Whether the sender lacked credit or chunks to send, in which case the rate says nothing
    /// about the link.
    var isSenderLimited: Bool
    /// The time from the sending of the newest acknowledged chunk to the ACK, minus the
    /// receiver's own delay. It is `nil` if the chunk was sent more than once or if the delay
    /// is unknown.
    var roundTrip: Microseconds?
    /// The round trip of the idle link.
    var baseRoundTrip: Microseconds

    /// The delivery rate while the newest chunk was in flight, measured over at least an idle
    /// round trip.
    var rate: PacingRate? {
        guard let roundTrip else { return nil }
        return PacingRate(
            of: deliveredTotal &- deliveredWhenSent,
            in: max(roundTrip, baseRoundTrip)
        )
    }

    /// Whether answers arrive sooner than Bluetooth LE allowed before Core 6.2.
    var isFast: Bool { baseRoundTrip <= BaseRoundTrip.shortest }
}
