package import BLEOTACore

/// What a simulated transfer by a modelled protocol amounted to.
package struct BaselineReport: Sendable, Hashable {
    /// From the first frame to the sender's knowledge that the image is whole, restarts and their
    /// pauses included.
    package let duration: Microseconds
    /// How long the image is.
    package let imageByteCount: Int
    /// Frames with bytes of the image that the sender sent, repeated ones included.
    package let dataFrameCount: Int
    /// How often the transfer was aborted and started again by somebody.
    package let restartCount: Int
    /// How often the sender waited in vain for an answer.
    package let timeoutCount: Int

    /// Bytes of the image a second.
    package var goodputBytesPerSecond: Double {
        Double(imageByteCount) * 1e6 / Double(duration.rawValue)
    }
}
