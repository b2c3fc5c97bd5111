/// A control frame that a receiver has written.
public struct WrittenFrame: Hashable, Sendable, BitwiseCopyable {
    /// The session that the frame's checksum covers.
    public var session: SessionNumber
    /// The length of the frame in bytes.
    public var byteCount: Int
}
