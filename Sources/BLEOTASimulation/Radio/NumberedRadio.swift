package import BLEOTACore

/// The modelled radio for protocols that are none of this module's: a value on it is a number that
/// its sender chose, and how long it is.
package struct NumberedRadio {
    /// What an end has to be told.
    package enum Report {
        /// The peripheral gets a value.
        case peripheralGot(Int)
        /// The central gets a value.
        case centralGot(Int)
        /// The link is lost, as ``RadioLink/Report/lost(at:)`` says.
        case lost
    }

    private var link: RadioLink<Int>
    private var random: SimulationRandom

    /// - Parameter seed: what the losses are drawn from.
    package init(_ settings: RadioSettings, seed: UInt64) {
        link = RadioLink(settings)
        random = SimulationRandom(seed: seed)
    }

    /// Whether a request of the central is on its way, or its response.
    package var isRequesting: Bool { link.isRequesting(.central) }

    /// The central sends a write command.
    package mutating func command(_ number: Int, byteCount: Int, at now: Instant) {
        link.send(number, byteCount: byteCount, as: .command, from: .central, at: now)
    }

    /// The central sends a write request.
    package mutating func request(_ number: Int, byteCount: Int, at now: Instant) {
        link.send(number, byteCount: byteCount, as: .request, from: .central, at: now)
    }

    /// The peripheral sends a notification.
    package mutating func notify(_ number: Int, byteCount: Int, at now: Instant) {
        link.send(number, byteCount: byteCount, as: .notification, from: .peripheral, at: now)
    }

    /// When something happens next; `nil` while there is nothing to carry.
    package var nextMoment: Instant? { link.nextMoment }

    /// Does what is due, which is at ``nextMoment`` and no later.
    package mutating func advance(to now: Instant) -> Report? {
        switch link.advance(to: now, &random) {
        case .value(let number, at: .peripheral): .peripheralGot(number)
        case .value(let number, at: .central): .centralGot(number)
        case .lost: .lost
        case .ready, nil: nil
        }
    }
}
