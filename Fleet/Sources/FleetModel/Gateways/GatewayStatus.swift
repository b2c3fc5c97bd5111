/// What a gateway says of itself, every ``interval``.
package struct GatewayStatus: Sendable, Hashable {
    package static let interval = Span.seconds(15)
    /// A gateway from which nothing is heard for so long gets no more devices. Three say so, of
    /// which two may be lost.
    package static let silenceMax = Span.seconds(45)

    /// The number of devices that it updates at once, from 1 to 32; 0 while it takes no more,
    /// because it is about to end.
    package let places: UInt8
    /// The version of its program.
    package let program: FirmwareVersion
    /// Grows with each, so that two are never equal.
    package let beat: UInt64
    /// When, by the gateway's clock: for people.
    package let moment: Moment

    package static let placesMax: UInt8 = 32

    /// Makes a status; `nil` if there are too many places.
    package init?(places: UInt8, program: FirmwareVersion, beat: UInt64, at moment: Moment) {
        guard places <= Self.placesMax else { return nil }
        self.places = places
        self.program = program
        self.beat = beat
        self.moment = moment
    }
}
