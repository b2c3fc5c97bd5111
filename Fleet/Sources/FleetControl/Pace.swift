package import FleetModel

/// The times by which controllers work. Tests have shorter ones.
package struct Pace: Sendable {
    private let divisor: UInt32
    private let silenceMax: Span?

    /// - Parameters:
    ///   - divisor: a part of all times.
    ///   - silenceMax: how long gateways and leases may be silent, if not for that part of a real
    ///     silence: on a busy machine, a gateway of a test is silent for seconds.
    package init(dividedBy divisor: UInt32 = 1, silenceMax: Span? = nil) {
        self.divisor = divisor
        self.silenceMax = silenceMax
    }

    package var seatInterval: Span { Seat.interval.divided(by: divisor) }
    package var seatSilenceMax: Span { Seat.silenceMax.divided(by: divisor) }
    /// How long after sending the last write of the seat that succeeded a controller still begins
    /// to write. A write takes 5 s at most, so it is over before another controller can take the
    /// seat, after 10 s. A write that isn't fails: it is on condition.
    package var holdMax: Span { Span.seconds(4).divided(by: divisor) }
    package var gatewaySilenceMax: Span {
        silenceMax ?? GatewayStatus.silenceMax.divided(by: divisor)
    }
    package var leaseSilenceMax: Span { silenceMax ?? Lease.silenceMax.divided(by: divisor) }
    /// How much later than a record a sighting must have been stored, by the server's clock, to be
    /// newer for sure: the servers of a cluster have clocks of their own.
    package var newsMargin: Span { Span.seconds(60).divided(by: divisor) }
    /// The least time between two writings of a campaign's progress.
    package var progressInterval: Span { Span.seconds(1).divided(by: divisor) }
    /// How often is decided what only time brings about.
    package var tick: Span { Span.seconds(1).divided(by: divisor) }
}
