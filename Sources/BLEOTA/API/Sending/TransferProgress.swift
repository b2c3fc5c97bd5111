/// The progress of a transfer, measured by the data that the receiver has durably stored.
public struct TransferProgress: Sendable, Hashable {
    /// The number of bytes that are durable at the receiver, counted in the image as it is
    /// sent.
    public var durableByteCount: Int
    /// The length in bytes of the whole image as it is sent.
    public var totalByteCount: Int
    /// The rate at which bytes became durable over the last few seconds, in bytes per second; 0
    /// until the first bytes are stored.
    public var bytesPerSecond: Double
    /// The stored fraction of the image, 0 to 1.
    public var fractionStored: Double {
        totalByteCount > 0 ? Double(durableByteCount) / Double(totalByteCount) : 0
    }
    /// The time left at the current rate, in seconds; `nil` while the rate is 0.
    public var secondsLeft: Double? {
        bytesPerSecond > 0 ? Double(totalByteCount - durableByteCount) / bytesPerSecond : nil
    }
    /// The number of data frames sent so far, including retransmissions; 0 at a receiver.
    public var dataFramesSent: Int
    /// How many of the ``dataFramesSent`` were retransmissions.
    public var dataFramesResent: Int
}

extension TransferProgress: CustomStringConvertible {
    /// One short line, such as `131072 of 262144 bytes, 201649 bytes per second`.
    public var description: String {
        "\(durableByteCount) of \(totalByteCount) bytes, \(Int(bytesPerSecond)) bytes per second"
    }
}
