/// The result of sending part of an image over a link to measure its throughput.
package struct TransferMeasurement: Sendable, Hashable {
    /// The number of bytes of the image that the receiver acknowledged.
    package let acknowledgedByteCount: Int
    /// The time from the receiver's first ACK for the image to its last ACK with new chunks.
    package let duration: Duration
    /// The number of data frames of the image sent in that time, including retransmissions.
    package let dataFramesSent: Int
    /// How many of the ``dataFramesSent`` were retransmissions.
    package let dataFramesResent: Int
    /// The chunk size in bytes; a data frame is four bytes longer.
    package let chunkByteCount: Int
    /// The ATT_MTU for which frames were made.
    package let attMTU: Int

    /// Acknowledged bytes of the image per second; 0 if nothing was acknowledged.
    package var goodputBytesPerSecond: Double {
        let seconds = Double(MonotonicClock.microseconds(duration)) / 1_000_000
        return seconds > 0 ? Double(acknowledgedByteCount) / seconds : 0
    }
}
