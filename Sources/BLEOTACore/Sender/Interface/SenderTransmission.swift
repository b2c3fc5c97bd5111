/// The next datagram that the sender transmits.
public enum SenderTransmission: Hashable, Sendable {
    /// A control frame.
    case control(SenderControl)
    /// A chunk. The caller supplies its bytes.
    case data(Chunk)
    /// An echo probe: a data frame with a total length of `byteCount` bytes and an arbitrary
    /// payload.
    case echo(token: UInt16, byteCount: Int)

    /// A chunk to be sent.
    public struct Chunk: Hashable, Sendable {
        /// The object: manifest or image.
        public var object: ObjectID
        /// The index of the chunk within the object.
        public var index: UInt32
        /// The byte range of the chunk within the object.
        public var byteRange: Range<Int>
        /// Whether the chunk requests an immediate ACK.
        public var isPoll: Bool
        /// Whether the chunk was sent before in this epoch.
        public var isRepeated: Bool
        /// The pseudo-header for the checksum of the data frame.
        public var header: PseudoHeader
    }
}
