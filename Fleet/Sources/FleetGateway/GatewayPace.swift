package import FleetModel

/// The times by which gateways work. Tests have shorter ones.
package struct GatewayPace: Sendable {
    package var statusInterval = GatewayStatus.interval
    package var sightingPause = SightingBook.pause
    package var reportPause = ReportBook.pause
    /// How long a device may take to restart into the image and say so. With 5 s until the last
    /// progress is reported, it is less than the silence that ends a lease.
    package var confirmationLimit = Span.seconds(45)
    /// How long a device may be away during a push, after which the controller may lend it to a
    /// gateway that hears it better.
    package var reconnectionLimit = Span.seconds(30)
    /// How often the books are asked what is due.
    package var tick = Span.seconds(1)
    /// The pause before the adapter, or an engine that failed for a moment, is tried again.
    package var pause = Span.seconds(2)

    package init() {}

    /// All times, divided.
    package func divided(by divisor: UInt32) -> GatewayPace {
        var pace = self
        pace.statusInterval = statusInterval.divided(by: divisor)
        pace.sightingPause = sightingPause.divided(by: divisor)
        pace.reportPause = reportPause.divided(by: divisor)
        pace.confirmationLimit = confirmationLimit.divided(by: divisor)
        pace.reconnectionLimit = reconnectionLimit.divided(by: divisor)
        pace.tick = tick.divided(by: divisor)
        pace.pause = pause.divided(by: divisor)
        return pace
    }
}

extension Span {
    var duration: Duration { .milliseconds(milliseconds) }
}
