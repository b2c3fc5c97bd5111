/// The memory that a receiver uses. The caller owns it, must keep it valid for the lifetime of
/// the receiver, and must not access it meanwhile. The receiver never allocates more.
///
/// For s blocks of b bytes, the memory consists of s · b bytes and about one bit for each chunk
/// that fits in them; ``receivedWordCount(slotCount:blockByteCount:chunkByteCountMin:)`` returns
/// the exact number. At least two blocks are needed: 8,192 bytes for blocks of 4 KiB. The memory
/// limits the credit that a receiver can grant.
public struct ReceiverMemory {
    /// The beginning and the length of the block buffers, which are contiguous. If they take 4 GiB
    /// or more, the excess is not used.
    package let ring: UnsafeMutableRawPointer
    package let byteCount: UInt32
    /// One bit for each chunk from the first missing one on. The number of words is a power of
    /// two, with at most 16,384 bits in total.
    let receivedWords: UnsafeMutablePointer<UInt>
    /// The number of bits minus 1, which masks a chunk index.
    let receivedMask: UInt32

    /// The memory of all block buffers.
    public var blocks: UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(start: ring, count: Int(byteCount))
    }

    /// One bit for each chunk that has arrived.
    public var receivedBits: UnsafeMutableBufferPointer<UInt> {
        UnsafeMutableBufferPointer(start: receivedWords, count: receivedWordCount)
    }

    var receivedWordCount: Int {
        Int(truncatingIfNeeded: (receivedMask &+ 1) / UInt32(UInt.bitWidth))
    }

    /// Returns the number of words that the bitmap of arrived chunks needs for `slotCount` blocks
    /// of `blockByteCount` bytes if chunks have at least `chunkByteCountMin` bytes.
    public static func receivedWordCount(
        slotCount: Int,
        blockByteCount: Int,
        chunkByteCountMin: Int = ChunkSize.smallest.byteCount
    ) -> Int {
        // The quotient is rounded up. One more chunk is counted because the first missing chunk may
        // begin before the first block.
        let chunkCount = min(
            slotCount * blockByteCount / chunkByteCountMin + 2,
            Credit.chunkCountMax + 1
        )
        var wordCount = 1
        // This can't overflow, because the chunk count is at most 16,384.
        while wordCount &* UInt.bitWidth < chunkCount { wordCount &*= 2 }
        return wordCount
    }

    /// Creates receiver memory from buffers that the caller owns.
    ///
    /// - Parameters:
    ///   - blocks: the memory for blocks. Anything past 4 GiB is not used.
    ///   - receivedBits: the memory for a bitmap with one bit for each chunk, which shows whether
    ///     the chunk has arrived. The number of words must be a power of two, with at most 16,384
    ///     bits in total.
    public init(
        blocks: UnsafeMutableRawBufferPointer,
        receivedBits: UnsafeMutableBufferPointer<UInt>
    ) {
        precondition((1...(Credit.chunkCountMax + 1) / UInt.bitWidth).contains(receivedBits.count))
        precondition(receivedBits.count & (receivedBits.count - 1) == 0)
        let words = receivedBits.baseAddress.unsafelyUnwrapped
        self.init(
            // An empty buffer is never dereferenced.
            ring: blocks.baseAddress ?? UnsafeMutableRawPointer(words),
            byteCount: UInt32(clamping: blocks.count),
            receivedBits: words,
            wordCount: receivedBits.count
        )
    }

    /// Creates receiver memory without checks. The caller has checked that the number of words
    /// is a power of two, with at most 16,384 bits in total.
    package init(
        ring: UnsafeMutableRawPointer,
        byteCount: UInt32,
        receivedBits: UnsafeMutablePointer<UInt>,
        wordCount: Int
    ) {
        self.ring = ring
        self.byteCount = byteCount
        receivedWords = receivedBits
        receivedMask = UInt32(truncatingIfNeeded: wordCount &* UInt.bitWidth) &- 1
    }
}

/// The memory belongs to one receiver and is never shared.
extension ReceiverMemory: @unchecked Sendable {}
