public import BLEOTACore

/// The results of a simulated transfer.
public struct RadioTransferReport: Sendable, Hashable {
    /// The time from the first frame to the verified image.
    public let duration: Microseconds
    /// The time from the first opportunity to send image chunks until all are acknowledged. It
    /// excludes the opening, the manifest and the verification.
    public let imageDuration: Microseconds
    /// The time from the first opportunity to send image chunks until the store has written the
    /// whole image.
    public let storingDuration: Microseconds
    /// The length of the image in bytes.
    public let imageByteCount: Int
    /// The number of data frames sent, including retransmissions.
    public let dataFrameCount: Int
    /// The number of ACKs sent by the receiver.
    public let acknowledgementCount: Int
    /// The number of intact data frames for which the receiver had no room; 0, because a sender
    /// respects the credit.
    public let framesWithoutRoom: Int
    /// The largest number of bytes that the sender's host had queued at any one time.
    public let hostQueueByteCountMax: Int
    /// The number of times that both ends considered the link lost and reconnected.
    public let linkLossCount: Int
    /// The events that concern the image, in order; empty unless ``RadioTransfer/keepsTimeline``
    /// is set.
    public let timeline: [TimelinePoint]

    /// The throughput in image bytes per second, over the whole transfer.
    public var goodputBytesPerSecond: Double {
        Double(imageByteCount) * 1e6 / Double(duration.rawValue)
    }

    /// The throughput in image bytes per second while the image was sent.
    public var imageGoodputBytesPerSecond: Double {
        Double(imageByteCount) * 1e6 / Double(imageDuration.rawValue)
    }

    /// The throughput in image bytes per second until the store had written the whole image.
    public var storingBytesPerSecond: Double {
        Double(imageByteCount) * 1e6 / Double(storingDuration.rawValue)
    }
}
