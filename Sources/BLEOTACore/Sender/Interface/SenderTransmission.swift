/// The next datagram a sender wants on the link.
public enum SenderTransmission: Hashable, Sendable {
    /// A control frame.
    case control(SenderControl)
    /// A chunk; the caller puts its bytes in.
    case data(Chunk)
    /// An echo probe: a data frame of this many bytes in all, with arbitrary payload.
    case echo(token: UInt16, byteCount: Int)

    /// A chunk to be sent.
    public struct Chunk: Hashable, Sendable {
        /// Manifest or image.
        public var object: ObjectID
        /// Its place among the chunks of the object.
        public var index: UInt32
        /// Where its bytes lie in the object.
        public var byteRange: Range<Int>
        /// Whether it asks for an ACK at once.
        public var isPoll: Bool
        /// Whether it was sent before in this epoch.
        public var isRepeated: Bool
        /// What its checksum covers besides the frame.
        public var header: PseudoHeader
    }
}
