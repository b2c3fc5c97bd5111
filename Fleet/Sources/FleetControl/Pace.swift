package import FleetModel

/// The times by which controllers work. Tests have shorter ones.
package struct Pace: Sendable {
    package var seatInterval = Seat.interval
    package var seatSilenceMax = Seat.silenceMax
    /// How long after sending the last write of the seat that succeeded a controller still begins
    /// to write. A write takes 5 s at most, so it is over before another controller can take the
    /// seat, after 10 s. A write that isn't fails: it is on condition.
    package var holdMax = Span.seconds(4)
    package var gatewaySilenceMax = GatewayStatus.silenceMax
    package var leaseSilenceMax = Lease.silenceMax
    /// The least time between two writings of a campaign's progress.
    package var progressInterval = Span.seconds(1)
    /// How often is decided what only time brings about.
    package var tick = Span.seconds(1)

    package init() {}

    /// All times, divided.
    package func divided(by divisor: UInt32) -> Pace {
        var pace = self
        pace.seatInterval = seatInterval.divided(by: divisor)
        pace.seatSilenceMax = seatSilenceMax.divided(by: divisor)
        pace.holdMax = holdMax.divided(by: divisor)
        pace.gatewaySilenceMax = gatewaySilenceMax.divided(by: divisor)
        pace.leaseSilenceMax = leaseSilenceMax.divided(by: divisor)
        pace.progressInterval = progressInterval.divided(by: divisor)
        pace.tick = tick.divided(by: divisor)
        return pace
    }
}
