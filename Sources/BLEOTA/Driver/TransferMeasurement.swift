/// What a link carried while a part of an image was sent over it.
package struct TransferMeasurement: Sendable, Hashable {
    /// Bytes of the image that the receiver acknowledged.
    package let acknowledgedByteCount: Int
    /// From the first account of the image to the last that showed anything new.
    package let duration: Duration
    /// Data frames of the image that were sent meanwhile, repeated ones included.
    package let dataFramesSent: Int
    /// Data frames among them that had been sent before.
    package let dataFramesResent: Int
    /// The chunk size; a data frame has four bytes more.
    package let chunkByteCount: Int
    /// The ATT_MTU that frames were made for.
    package let attMTU: Int

    /// Acknowledged bytes of the image a second; 0 where nothing was acknowledged.
    package var goodputBytesPerSecond: Double {
        let seconds = Double(MonotonicClock.microseconds(duration)) / 1_000_000
        return seconds > 0 ? Double(acknowledgedByteCount) / seconds : 0
    }
}
