public import BLEOTACore

/// Something that happened in a simulated transfer.
public struct SimulatedTraceEntry: Sendable, Hashable {
    /// What it was. Frames are those that the sender's end of the link sees: a frame of its own is
    /// told before the link loses or damages it, one of the receiver as it arrives.
    public enum Event: Sendable, Hashable {
        /// The sender sends these bytes on the control channel.
        case sendsControl([UInt8])
        /// The sender sends these bytes on the data channel.
        case sendsData([UInt8])
        /// The sender's end gets these bytes on the control channel. A damaged frame may have none.
        case getsControl([UInt8])
        /// Anything else, in words, on one line: what the receiver sees, what its store does, what
        /// happens to the link.
        case note(String)
    }

    /// When, since the run began.
    public let moment: Instant
    /// What.
    public let event: Event
}
