/// Which controller is the active one. It writes the seat anew every ``interval``; another takes it
/// when it has seen no change for ``silenceMax`` by its own clock. Both write on condition that
/// nobody else has.
package struct Seat: Sendable, Hashable {
    package static let interval = Span.seconds(3)
    package static let silenceMax = Span.seconds(10)

    package let holder: ControllerID
    /// Grows with each writing.
    package let beat: UInt64

    package init(_ holder: ControllerID, beat: UInt64) {
        self.holder = holder
        self.beat = beat
    }
}
