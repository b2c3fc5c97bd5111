import BLEOTACore
package import BLEOTAManifest
import BLEOTAWire

/// What a finished push or pull amounted to.
public struct TransferReport: Sendable, Hashable {
    /// The SHA-256 of the image, which the receiver verified.
    public var sha256: [UInt8]
    /// The length of the image.
    public var byteCount: Int
    /// The length of what travelled, which is another where the image was encoded.
    public var encodedByteCount: Int
    /// How the image was compressed.
    package var compression: Compression
    /// Whether it travelled compressed or as a patch.
    public var isCompressed: Bool { compression != .none }
    /// Whether it was sealed.
    public var isSealed: Bool
    /// How much of what travels the receiver had when this transfer began.
    public var resumedFromByte: Int
    /// From the first OPEN to the RESULT, reconnections included.
    public var duration: Duration
    /// Data frames this end sent, manifest and repeated ones included; at a receiver, that arrived.
    public var dataFramesSent: Int
    /// Data frames among them that had been sent before.
    public var dataFramesResent: Int
    /// The bytes of those frames, each as an attribute value has them; 0 at a receiver.
    public var dataByteCount: Int
    /// The chunk size of the last session.
    public var chunkByteCount: Int
    /// The ATT_MTU of the last link.
    public var attMTU: Int
    /// How often the link was lost and made again.
    public var reconnectionCount: Int

    /// Bytes of what travels that became durable per second of this transfer: what the link made
    /// of it.
    public var goodputBytesPerSecond: Double {
        let seconds = Double(MonotonicClock.microseconds(duration)) / 1_000_000
        return seconds > 0 ? Double(encodedByteCount - resumedFromByte) / seconds : 0
    }

    /// Bytes of the image per second: what the user has of it. The same where the image was not
    /// encoded.
    public var imageBytesPerSecond: Double {
        goodputBytesPerSecond * Double(byteCount) / Double(encodedByteCount)
    }
}

extension TransferReport: CustomStringConvertible {
    /// One short line: `262,144 bytes in 1.3 s, 201,649 bytes per second, 3 of 1,132 frames
    /// resent`.
    public var description: String {
        let seconds = Double(MonotonicClock.microseconds(duration) / 100_000) / 10
        return "\(byteCount) bytes in \(seconds) s, \(Int(imageBytesPerSecond)) bytes per second, "
            + "\(dataFramesResent) of \(dataFramesSent) frames resent"
    }
}
