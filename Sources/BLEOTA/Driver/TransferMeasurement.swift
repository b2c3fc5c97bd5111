/// What a link carried while a part of an image was sent over it.
public struct TransferMeasurement: Sendable, Hashable {
    /// Bytes of the image that the receiver acknowledged.
    public let acknowledgedByteCount: Int
    /// From the first account of the image to the last that showed anything new.
    public let duration: Duration
    /// Data frames of the image that were sent meanwhile, repeated ones included.
    public let dataFramesSent: Int
    /// Data frames among them that had been sent before.
    public let dataFramesResent: Int
    /// The chunk size; a data frame has four bytes more.
    public let chunkByteCount: Int
    /// The ATT_MTU that frames were made for.
    public let attMTU: Int

    /// Acknowledged bytes of the image a second; 0 where nothing was acknowledged.
    public var goodputBytesPerSecond: Double {
        let seconds = Double(MonotonicClock.microseconds(duration)) / 1_000_000
        return seconds > 0 ? Double(acknowledgedByteCount) / seconds : 0
    }
}
