import BLEOTACore

/// What a finished push or pull amounted to.
public struct TransferReport: Sendable, Hashable {
    /// The SHA-256 of the image, which the receiver verified.
    public var sha256: [UInt8]
    /// The length of the image.
    public var byteCount: Int
    /// How much of it the receiver had when this transfer began.
    public var resumedFromByte: Int
    /// From the first OPEN to the RESULT, reconnections included.
    public var duration: Duration
    /// Data frames this end sent, manifest and repeated ones included; 0 at a receiver.
    public var dataFramesSent: Int
    /// Data frames among them that had been sent before.
    public var dataFramesResent: Int
    /// The chunk size of the last session.
    public var chunkByteCount: Int
    /// The ATT_MTU of the last link.
    public var attMTU: Int
    /// How often the link was lost and made again.
    public var reconnectionCount: Int

    /// Bytes of the image per second that became durable in this transfer.
    public var goodputBytesPerSecond: Double {
        let seconds = Double(MonotonicClock.microseconds(duration)) / 1_000_000
        return seconds > 0 ? Double(byteCount - resumedFromByte) / seconds : 0
    }
}
