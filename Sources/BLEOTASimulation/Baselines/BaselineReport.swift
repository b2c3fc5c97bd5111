public import BLEOTACore

/// What a simulated transfer by a modelled protocol amounted to.
public struct BaselineReport: Sendable, Hashable {
    /// From the first frame to the sender's knowledge that the image is whole, restarts and their
    /// pauses included.
    public let duration: Microseconds
    /// How long the image is.
    public let imageByteCount: Int
    /// Frames with bytes of the image that the sender sent, repeated ones included.
    public let dataFrameCount: Int
    /// How often the transfer was aborted and started again by somebody.
    public let restartCount: Int
    /// How often the sender waited in vain for an answer.
    public let timeoutCount: Int

    /// Bytes of the image a second.
    public var goodputBytesPerSecond: Double {
        Double(imageByteCount) * 1e6 / Double(duration.rawValue)
    }
}
