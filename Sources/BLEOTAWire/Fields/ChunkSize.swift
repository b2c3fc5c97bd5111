/// The number of payload bytes in a full data frame: a multiple of 4 from 12 to 508.
///
/// The size is a multiple of 4 so that flash can be programmed in words. It is at most 508
/// because an ATT value is at most 512 bytes long, and the frame's own fields take 4 of them.
public struct ChunkSize: Hashable, Sendable, BitwiseCopyable {
    /// The size in units of 4 bytes, as it is encoded in OPEN.
    public let wordCount: UInt8

    /// The size in bytes, 12 to 508.
    public var byteCount: Int { Int(wordCount) * 4 }

    /// The length in bytes of a data frame that carries a full chunk.
    public var frameByteCount: Int { byteCount + DataFrame.overheadByteCount }

    /// Creates a chunk size from a number of 4-byte units. Returns `nil` unless the number is 3
    /// to 127.
    public init?(wordCount: UInt8) {
        guard (3...127).contains(wordCount) else { return nil }
        self.wordCount = wordCount
    }

    /// The smallest chunk size: 12 bytes, for a link that carries frames of 16 bytes.
    public static var smallest: ChunkSize { ChunkSize(wordCount: 3)! }

    //= CHUNK-1: A sender MUST choose as the chunk size the largest multiple of 4, at most 508, for
    //= which the link carries the data frame.
    /// Chooses the chunk size for a link that carries data frames of up to `frameByteCountMax`
    /// bytes.
    ///
    /// On links that carry 244 bytes or more, the frame is limited to 244 bytes, or to 495
    /// bytes if the link carries 488 or more. With the 7 bytes of the ATT and L2CAP headers,
    /// such a frame fills one or two link-layer packets of 251 bytes; a frame of 512 bytes would
    /// need a third packet.
    ///
    /// - Parameter frameByteCountMax: the maximum length of a frame on the link in bytes, at least
    ///   16.
    public init(fittingFrameOf frameByteCountMax: Int) {
        precondition(frameByteCountMax >= 16, "the smallest data frame is 16 bytes long")
        let frameByteCount =
            switch frameByteCountMax {
            case ..<244: frameByteCountMax
            case 244..<488: 244
            default: min(frameByteCountMax, 495)
            }
        wordCount = UInt8((frameByteCount - DataFrame.overheadByteCount) / 4)
    }
}
