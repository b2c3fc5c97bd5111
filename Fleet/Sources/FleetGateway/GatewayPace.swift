package import FleetModel

/// The times by which gateways work. Tests have shorter ones.
package struct GatewayPace: Sendable {
    private let divisor: UInt32

    /// - Parameter divisor: a part of all times.
    package init(dividedBy divisor: UInt32 = 1) { self.divisor = divisor }

    package var statusInterval: Span { GatewayStatus.interval.divided(by: divisor) }
    package var sightingPause: Span { SightingBook.pause.divided(by: divisor) }
    package var reportPause: Span { ReportBook.pause.divided(by: divisor) }
    /// How long a device may take to restart into the image and say so. With 5 s until the last
    /// progress is reported, it is less than the silence that ends a lease.
    package var confirmationLimit: Span { Span.seconds(45).divided(by: divisor) }
    /// How long a device may be away during a push, after which the controller may lend it to a
    /// gateway that hears it better.
    package var reconnectionLimit: Span { Span.seconds(30).divided(by: divisor) }
    /// How long another gateway of the same name may be silent before this one takes its place.
    package var nameSilenceMax: Span { GatewayStatus.silenceMax.divided(by: divisor) }
    /// How long a seed that is gone is waited for.
    package var seedLimit: Span { Span.seconds(60).divided(by: divisor) }
    /// How often the books are asked what is due.
    package var tick: Span { Span.seconds(1).divided(by: divisor) }
    /// The pause before the adapter, or an engine that failed for a moment, is tried again.
    package var pause: Span { Span.seconds(2).divided(by: divisor) }
}

extension Span {
    package var duration: Duration { .milliseconds(milliseconds) }
}
