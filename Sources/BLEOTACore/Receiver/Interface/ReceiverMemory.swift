/// The memory a receiver works in. The caller owns it, keeps it alive as long as the receiver and
/// does not touch it meanwhile; the receiver never asks for more.
///
/// The arithmetic: s · b bytes for s blocks of b bytes, and a bit for each chunk that fits them,
/// rounded up. Two blocks are the least, 8,192 bytes for blocks of 4 KiB; the credit a receiver can
/// grant is what its memory holds.
public struct ReceiverMemory {
    /// Where the block buffers begin, one after the other, and how much there is of them; of 4 GiB
    /// and more the rest is not used.
    package let ring: UnsafeMutableRawPointer
    package let byteCount: UInt32
    /// A bit for each chunk from the first missing one on; a power of two of words, 16,384 bits at
    /// most.
    let receivedWords: UnsafeMutablePointer<UInt>
    /// The last of the bits.
    let receivedMask: UInt32

    /// The block buffers.
    public var blocks: UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(start: ring, count: Int(byteCount))
    }

    /// A bit for each chunk that has arrived.
    public var receivedBits: UnsafeMutableBufferPointer<UInt> {
        UnsafeMutableBufferPointer(start: receivedWords, count: receivedWordCount)
    }

    var receivedWordCount: Int {
        Int(truncatingIfNeeded: (receivedMask &+ 1) / UInt32(UInt.bitWidth))
    }

    /// The words of received bits that `slotCount` blocks of `blockByteCount` bytes need when
    /// chunks have `chunkByteCountMin` bytes or more.
    public static func receivedWordCount(
        slotCount: Int,
        blockByteCount: Int,
        chunkByteCountMin: Int = ChunkSize.smallest.byteCount
    ) -> Int {
        // One chunk more, because the first missing one may begin before the first block.
        let chunkCount = min(
            slotCount * blockByteCount / chunkByteCountMin + 2,
            Credit.chunkCountMax + 1
        )
        var wordCount = 1
        // Cannot wrap, as there are fewer chunks than sequence numbers.
        while wordCount &* UInt.bitWidth < chunkCount { wordCount &*= 2 }
        return wordCount
    }

    /// Takes memory of the caller.
    public init(
        blocks: UnsafeMutableRawBufferPointer,
        receivedBits: UnsafeMutableBufferPointer<UInt>
    ) {
        precondition((1...(Credit.chunkCountMax + 1) / UInt.bitWidth).contains(receivedBits.count))
        precondition(receivedBits.count & (receivedBits.count - 1) == 0)
        let words = receivedBits.baseAddress.unsafelyUnwrapped
        self.init(
            // Of no blocks nothing is ever used.
            ring: blocks.baseAddress ?? UnsafeMutableRawPointer(words),
            byteCount: UInt32(clamping: blocks.count),
            receivedBits: words,
            wordCount: receivedBits.count
        )
    }

    /// Takes memory of which somebody saw that its words are a power of two, and 16,384 at most.
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

/// The memory belongs to one receiver; it is never shared.
extension ReceiverMemory: @unchecked Sendable {}
