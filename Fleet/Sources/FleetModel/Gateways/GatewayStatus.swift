/// What a gateway says of itself, every ``interval``.
package struct GatewayStatus: Sendable, Hashable {
    package static let interval = Span.seconds(15)
    /// A gateway from which nothing is heard for so long gets no more devices. Three say so, of
    /// which two may be lost.
    package static let silenceMax = Span.seconds(45)

    /// The number of devices that it updates at once, from 1 to 64; 0 while it takes no more,
    /// because it is about to end.
    package let places: UInt8
    /// The version of its program.
    package let program: FirmwareVersion
    /// Grows with each, so that two are never equal.
    package let beat: UInt64
    /// When, by the gateway's clock: for people.
    package let moment: Moment
    /// A number that no other gateway has, even one that was given the same name by mistake.
    package let instance: UInt64

    /// A Bluetooth adapter has a handful of connections, and a machine with sockets or several
    /// adapters has more: 200 such gateways can have 10,000 devices at once, with 50 each.
    package static let placesMax: UInt8 = 64

    /// Makes a status; `nil` if there are too many places.
    package init?(
        places: UInt8,
        program: FirmwareVersion,
        beat: UInt64,
        at moment: Moment,
        instance: UInt64 = 0
    ) {
        guard places <= Self.placesMax else { return nil }
        self.places = places
        self.program = program
        self.beat = beat
        self.moment = moment
        self.instance = instance
    }
}
