/// Which gateway has a device, and until when.
///
///     free ──take──▶ held ──renew──▶ held      held ──release, or its time is over──▶ free
///
/// Only one gateway writes it at a time, on condition that nobody else has: whoever fails to write
/// doesn't have the device.
package enum Lease: Sendable, Hashable {
    case free
    case held(by: GatewayID, until: Moment)

    /// How long a gateway has a device without progress. A link that moves no block for 20 s is
    /// opened again, so that three attempts fit; and a device waits no longer for the next gateway
    /// when one has died.
    package static let span = Span.seconds(60)

    package enum Input: Sendable, Hashable {
        case take(GatewayID)
        /// Another block is durably stored.
        case renew(GatewayID)
        case release(GatewayID)
    }

    /// Applies an input.
    ///
    /// - Returns: the end of the lease that the gateway now has; `nil` if it has none.
    package mutating func handle(_ input: Input, at now: Moment) -> Moment? {
        switch (effective(at: now), input) {
        case (.free, .take(let gateway)):
            let end = now + Self.span
            self = .held(by: gateway, until: end)
            return end
        case (.held(let holder, let until), .renew(let gateway)) where gateway == holder:
            // A clock that was set back doesn't shorten it.
            let end = max(until, now + Self.span)
            self = .held(by: holder, until: end)
            return end
        case (.held(let holder, _), .release(let gateway)) where gateway == holder:
            self = .free
            return nil
        // One that took the device is told when its lease ends, and must not take it again: two
        // pushes of one gateway would have it.
        case (.held, .take), (.held, .renew), (.held, .release), (.free, .renew),
            (.free, .release):
            return nil
        }
    }

    /// The lease without one whose time is over.
    package func effective(at now: Moment) -> Lease {
        if case .held(_, let until) = self, until <= now { .free } else { self }
    }
}
