/// The next control frame a receiver wants on the link, with the session its checksum covers.
public struct ReceiverTransmission: Hashable, Sendable, BitwiseCopyable {
    /// The session of the frame.
    public var session: SessionNumber
    /// The frame.
    public var frame: ReceiverControl

    /// Writes the frame.
    ///
    /// - Parameter output: room for ``ReceiverControl/byteCountMax`` bytes.
    /// - Returns: the length of the frame.
    public func encode(into output: inout MutableRawSpan) -> Int {
        frame.encode(session: session, into: &output)
    }
}
