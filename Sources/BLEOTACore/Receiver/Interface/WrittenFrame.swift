/// A control frame that a receiver wrote.
public struct WrittenFrame: Hashable, Sendable, BitwiseCopyable {
    /// The session that its checksum covers.
    public var session: SessionNumber
    /// Its length.
    public var byteCount: Int
}
