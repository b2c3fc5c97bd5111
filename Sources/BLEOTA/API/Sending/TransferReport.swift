import BLEOTACore
package import BLEOTAManifest
import BLEOTAWire

/// The result of a completed push or pull.
public struct TransferReport: Sendable, Hashable {
    /// The SHA-256 of the image, which the receiver has verified; 32 bytes.
    public var sha256: [UInt8]
    /// The length of the image in bytes.
    public var byteCount: Int
    /// The length in bytes of the image as it was sent. It differs from ``byteCount`` if the
    /// image was encoded.
    public var encodedByteCount: Int
    /// How the image was compressed.
    package var compression: Compression
    /// Whether the image was sent compressed or as a patch.
    public var isCompressed: Bool { compression != .none }
    /// Whether the image was sealed.
    public var isSealed: Bool
    /// How many bytes of the image, as it was sent, the receiver already had when this transfer
    /// began.
    public var resumedFromByte: Int
    /// The time from the start of the transfer, before the first link was up, to RESULT. It
    /// includes reconnections.
    public var duration: Duration
    /// The number of data frames that a push sent or a pull received, including those of the
    /// manifest and retransmissions.
    public var dataFramesSent: Int
    /// How many of the ``dataFramesSent`` carried a chunk that had been sent or received before.
    public var dataFramesResent: Int
    /// The total length of the ``dataFramesSent`` in bytes, counted as attribute values; 0 for a
    /// pull.
    public var dataByteCount: Int
    /// The chunk size of the last session in bytes.
    public var chunkByteCount: Int
    /// The ATT_MTU of the last link.
    public var attMTU: Int
    /// The number of times that a lost link was restored.
    public var reconnectionCount: Int
    /// The name of the transfer's protocol: `bleota`, or that of another vendor's protocol.
    public var protocolName = "bleota"

    /// The goodput of the link: the rate at which the image, as it was sent, became durable, in
    /// bytes per second.
    public var goodputBytesPerSecond: Double {
        let seconds = Double(MonotonicClock.microseconds(duration)) / 1_000_000
        return seconds > 0 ? Double(encodedByteCount - resumedFromByte) / seconds : 0
    }

    /// The rate in bytes per second, counted in the decoded image. It equals
    /// ``goodputBytesPerSecond`` if the image was not encoded.
    public var imageBytesPerSecond: Double {
        goodputBytesPerSecond * Double(byteCount) / Double(encodedByteCount)
    }
}

extension TransferReport: CustomStringConvertible {
    /// One short line, such as `262144 bytes in 1.3 s, 201649 bytes per second, 3 of 1132
    /// frames resent`.
    public var description: String {
        let seconds = Double(MonotonicClock.microseconds(duration) / 100_000) / 10
        return "\(byteCount) bytes in \(seconds) s, \(Int(imageBytesPerSecond)) bytes per second, "
            + "\(dataFramesResent) of \(dataFramesSent) frames resent"
    }
}

extension TransferReport {
    /// Creates the report of a transfer by a protocol that sends the file unchanged.
    package init(
        protocolName: String,
        sha256: [UInt8],
        byteCount: Int,
        resumedFromByte: Int,
        duration: Duration,
        dataFramesSent: Int,
        dataFramesResent: Int,
        dataByteCount: Int,
        chunkByteCount: Int,
        attMTU: Int,
        reconnectionCount: Int
    ) {
        self.init(
            sha256: sha256,
            byteCount: byteCount,
            encodedByteCount: byteCount,
            compression: .none,
            isSealed: false,
            resumedFromByte: resumedFromByte,
            duration: duration,
            dataFramesSent: dataFramesSent,
            dataFramesResent: dataFramesResent,
            dataByteCount: dataByteCount,
            chunkByteCount: chunkByteCount,
            attMTU: attMTU,
            reconnectionCount: reconnectionCount,
            protocolName: protocolName
        )
    }
}
