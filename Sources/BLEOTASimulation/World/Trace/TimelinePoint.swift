public import BLEOTACore

/// An event of a simulated transfer, for a diagram of the image over time.
public struct TimelinePoint: Sendable, Hashable {
    /// The kind of event.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The sender handed the chunk that begins at the offset to its host for the first time.
        case sent
        /// The sender handed over a chunk that it had sent before.
        case sentAgain
        /// The chunk that begins at the offset arrived at the receiver.
        case arrived
        /// The sender received an ACK that confirms everything before the offset.
        case acknowledged
        /// The ACK granted credit up to the offset, which is at most the end of the image.
        case granted
        /// The ACK confirmed that everything before the offset would survive a power cut.
        case durable
    }

    /// The time since the sender started.
    public let moment: Microseconds
    /// The kind of event.
    public let kind: Kind
    /// The offset in the image, in bytes.
    public let byteOffset: Int
}
