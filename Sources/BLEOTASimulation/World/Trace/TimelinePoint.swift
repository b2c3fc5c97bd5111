public import BLEOTACore

/// One thing that happened in a simulated transfer, for a diagram of the image over time.
public struct TimelinePoint: Sendable, Hashable {
    /// What happened.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The sender gave the chunk that begins at the offset to its host, for the first time.
        case sent
        /// The same of a chunk that it had sent before.
        case sentAgain
        /// The chunk that begins at the offset came to the receiver.
        case arrived
        /// The sender got an ACK in which nothing before the offset is missing.
        case acknowledged
        /// In that ACK the receiver promised room for what lies before the offset, and for no
        /// more; the end of the image at most.
        case granted
        /// In that ACK all before the offset would survive a power cut.
        case durable
    }

    /// Since the sender began.
    public let moment: Microseconds
    /// What happened.
    public let kind: Kind
    /// Where in the image, in bytes.
    public let byteOffset: Int
}
