package import BLEOTACore

/// The simulated radio for protocols of other projects. A value is represented by a number that
/// its sender chooses, and by its length.
package struct NumberedRadio {
    /// An event to report to an end of the link.
    package enum Report {
        /// The peripheral receives a value.
        case peripheralGot(Int)
        /// The central receives a value.
        case centralGot(Int)
        /// The link is lost, as in ``RadioLink/Report/lost(at:)``.
        case lost
    }

    private var link: RadioLink<Int>
    private var random: SimulationRandom

    /// - Parameter seed: the seed of the random losses.
    package init(_ settings: RadioSettings, seed: UInt64) {
        link = RadioLink(settings)
        random = SimulationRandom(seed: seed)
    }

    /// Whether a request of the central awaits its response.
    package var isRequesting: Bool { link.isRequesting(.central) }

    /// Sends a write command from the central.
    package mutating func command(_ number: Int, byteCount: Int, at now: Instant) {
        link.send(number, byteCount: byteCount, as: .command, from: .central, at: now)
    }

    /// Sends a write request from the central.
    package mutating func request(_ number: Int, byteCount: Int, at now: Instant) {
        link.send(number, byteCount: byteCount, as: .request, from: .central, at: now)
    }

    /// Sends a notification from the peripheral.
    package mutating func notify(_ number: Int, byteCount: Int, at now: Instant) {
        link.send(number, byteCount: byteCount, as: .notification, from: .peripheral, at: now)
    }

    /// The time of the next event; `nil` while there is nothing to transmit.
    package var nextMoment: Instant? { link.nextMoment }

    /// Processes the next event, and returns a report about it, if any. Must be called when
    /// ``nextMoment`` is reached, and no later.
    package mutating func advance(to now: Instant) -> Report? {
        switch link.advance(to: now, &random) {
        case .value(let number, at: .peripheral): .peripheralGot(number)
        case .value(let number, at: .central): .centralGot(number)
        case .lost: .lost
        case .ready, nil: nil
        }
    }
}
