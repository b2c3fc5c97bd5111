/// How many bytes of an object one data frame carries: a multiple of 4 from 12 to 508.
///
/// A multiple of 4 so that flash can be programmed in words; at most 508 because an ATT value has
/// at most 512 bytes and the frame takes 4 of them.
public struct ChunkSize: Hashable, Sendable, BitwiseCopyable {
    /// The size in units of 4 bytes, as OPEN carries it.
    public let wordCount: UInt8

    /// The size in bytes, 12 to 508.
    public var byteCount: Int { Int(wordCount) * 4 }

    /// The length of a data frame that carries a whole chunk.
    public var frameByteCount: Int { byteCount + DataFrame.overheadByteCount }

    /// Takes a size in units of 4 bytes, 3 to 127; `nil` for any other.
    public init?(wordCount: UInt8) {
        guard (3...127).contains(wordCount) else { return nil }
        self.wordCount = wordCount
    }

    /// The smallest chunk: 12 bytes, for a link that carries 16.
    public static var smallest: ChunkSize { ChunkSize(wordCount: 3)! }

    //= CHUNK-1: A sender MUST choose the chunk size as the largest multiple of 4, at most 508, for
    //= which the data frame fits the link and, where [CHUNK-2] is followed, its bound.
    /// The chunk for a link that carries data frames of up to this many bytes.
    ///
    /// From 244 bytes on, the frame is kept to 244 or 495: with the 7 bytes of the ATT and L2CAP
    /// headers these fill one or two link-layer packets of 251 bytes, while 512 would need a third.
    ///
    /// - Parameter frameByteCountMax: at least 16.
    public init(fittingFrameOf frameByteCountMax: Int) {
        precondition(frameByteCountMax >= 16, "the smallest data frame has 16 bytes")
        let frameByteCount =
            switch frameByteCountMax {
            case ..<244: frameByteCountMax
            case 244..<495: 244
            default: 495
            }
        wordCount = UInt8((frameByteCount - DataFrame.overheadByteCount) / 4)
    }
}
