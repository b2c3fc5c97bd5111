/// How far a transfer is, counted in what the receiver has durably stored.
public struct TransferProgress: Sendable, Hashable {
    /// Bytes of the image that are durable at the receiver.
    public var durableByteCount: Int
    /// Bytes of the whole image.
    public var totalByteCount: Int
    /// Durable bytes per second over the last few seconds; 0 before anything was stored.
    public var bytesPerSecond: Double
    /// How much of the image is stored, 0 to 1.
    public var fractionStored: Double {
        totalByteCount > 0 ? Double(durableByteCount) / Double(totalByteCount) : 0
    }
    /// The time left at that rate; `nil` while the rate is 0.
    public var secondsLeft: Double? {
        bytesPerSecond > 0 ? Double(totalByteCount - durableByteCount) / bytesPerSecond : nil
    }
    /// Data frames sent so far, repeated ones included; 0 at a receiver.
    public var dataFramesSent: Int
    /// Data frames among them that had been sent before.
    public var dataFramesResent: Int
}

extension TransferProgress: CustomStringConvertible {
    /// One short line: `131072 of 262144 bytes, 201649 bytes per second`.
    public var description: String {
        "\(durableByteCount) of \(totalByteCount) bytes, \(Int(bytesPerSecond)) bytes per second"
    }
}
