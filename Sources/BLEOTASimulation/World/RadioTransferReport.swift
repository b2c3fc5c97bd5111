public import BLEOTACore

/// What a simulated transfer amounted to.
public struct RadioTransferReport: Sendable, Hashable {
    /// From the first frame to the verified image.
    public let duration: Microseconds
    /// Of this, from the moment when chunks of the image could be sent until all were acknowledged:
    /// without the opening, the manifest and the verification.
    public let imageDuration: Microseconds
    /// From the same moment until the store had written all of it.
    public let storingDuration: Microseconds
    /// How long the image is.
    public let imageByteCount: Int
    /// Data frames that the sender sent, repeated ones included.
    public let dataFrameCount: Int
    /// ACKs that the receiver sent.
    public let acknowledgementCount: Int
    /// Data frames that came intact to the receiver, and for which it had no room: none, since a
    /// sender keeps to the credit.
    public let framesWithoutRoom: Int
    /// The most bytes of values that the sender's host had to send at a time.
    public let hostQueueByteCountMax: Int
    /// How often both ends took the link for lost, and connected again.
    public let linkLossCount: Int
    /// What happened to the image, in order; empty unless ``RadioTransfer/keepsTimeline``.
    public let timeline: [TimelinePoint]

    /// Bytes of the image a second.
    public var goodputBytesPerSecond: Double {
        Double(imageByteCount) * 1e6 / Double(duration.rawValue)
    }

    /// Bytes of the image a second while it was sent.
    public var imageGoodputBytesPerSecond: Double {
        Double(imageByteCount) * 1e6 / Double(imageDuration.rawValue)
    }

    /// Bytes of the image a second until the store had written all of it.
    public var storingBytesPerSecond: Double {
        Double(imageByteCount) * 1e6 / Double(storingDuration.rawValue)
    }
}
