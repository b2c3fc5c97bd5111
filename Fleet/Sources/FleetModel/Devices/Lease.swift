/// That a gateway has a device, for one turn.
///
///     none ──lend──▶ lent(turn n) ──report, or a minute without progress──▶ none ──lend──▶ lent(n + 1) …
///
/// Controllers alone grant and end leases, in the device's record. A gateway's key lets it write
/// under its own name only, so a gateway can't take or lengthen a lease, whatever it claims. The
/// controller measures the silence of a gateway by a clock that nobody sets, from the moment at
/// which it last saw a report, so the clocks of two machines are never compared.
package struct Lease: Sendable, Hashable {
    /// How long a gateway keeps a device without progress. A link that moves no block for 20 s is
    /// opened again, so that three attempts fit; and a device waits no longer for the next gateway
    /// when one has died.
    package static let silenceMax = Span.seconds(60)

    package let gateway: GatewayID
    package let turn: Turn

    package init(to gateway: GatewayID, _ turn: Turn) {
        self.gateway = gateway
        self.turn = turn
    }
}

/// The number of a lease of one device: each is one more than the last, so that a report tells to
/// which lease it belongs.
package struct Turn: Sendable, Hashable, Comparable {
    package static let none = Turn(0)

    package let number: UInt32

    package init(_ number: UInt32) { self.number = number }

    /// `nil` after the last of four billion: a device that is lent every second has 136 years.
    var next: Turn? { number < .max ? Turn(number + 1) : nil }

    package static func < (left: Turn, right: Turn) -> Bool { left.number < right.number }
}
