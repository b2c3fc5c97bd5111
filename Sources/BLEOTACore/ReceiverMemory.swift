/// The memory a receiver works in. The caller owns it, keeps it alive as long as the receiver and
/// does not touch it meanwhile; the receiver never asks for more.
///
/// The arithmetic: s · b bytes for s blocks of b bytes, and a bit for each chunk that fits them,
/// rounded up. Two blocks are the least, 8,192 bytes for blocks of 4 KiB; the credit a receiver can
/// grant is what its memory holds.
public struct ReceiverMemory {
    /// The block buffers, one after the other.
    public let blocks: UnsafeMutableRawBufferPointer
    /// A bit for each chunk from the first missing one on; a power of two of words, 16,384 bits at
    /// most.
    public let receipts: UnsafeMutableBufferPointer<UInt>

    /// How many chunks the receipts can follow.
    var receiptCount: UInt32 {
        UInt32(truncatingIfNeeded: receipts.count) &* UInt32(UInt.bitWidth)
    }

    /// The words of receipts that `slotCount` blocks of `blockByteCount` bytes need when chunks
    /// have `chunkByteCountMin` bytes or more.
    public static func receiptWordCount(
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
        receipts: UnsafeMutableBufferPointer<UInt>
    ) {
        precondition((1...(Credit.chunkCountMax + 1) / UInt.bitWidth).contains(receipts.count))
        precondition(receipts.count & (receipts.count - 1) == 0)
        self.blocks = blocks
        self.receipts = receipts
    }
}

/// The memory belongs to one receiver; it is never shared.
extension ReceiverMemory: @unchecked Sendable {}
