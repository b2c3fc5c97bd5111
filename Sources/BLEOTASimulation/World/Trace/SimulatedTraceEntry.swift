public import BLEOTACore

/// An event of a simulated transfer.
public struct SimulatedTraceEntry: Sendable, Hashable {
    /// The event. Frames are shown from the sender's end of the link: its own frames before the
    /// link loses or damages them, and those of the receiver when they arrive.
    public enum Event: Sendable, Hashable {
        /// The sender sends these bytes on the control channel.
        case sendsControl([UInt8])
        /// The sender sends these bytes on the data channel.
        case sendsData([UInt8])
        /// The sender's end receives these bytes on the control channel. A damaged frame may be
        /// empty.
        case getsControl([UInt8])
        /// A description of any other event on one line: events at the receiver, in its store, or
        /// on the link.
        case note(String)
    }

    /// The time since the start of the run.
    public let moment: Instant
    /// The event.
    public let event: Event
}
