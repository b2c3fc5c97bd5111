/// The memory a receiver works in. The caller owns it, keeps it alive as long as the receiver and
/// does not touch it meanwhile; the receiver never asks for more.
///
/// The arithmetic: with s slots of blocks of b bytes, s · (b + 8) bytes, and a bit for each chunk
/// that fits s blocks, rounded up. Two slots of 4,096 bytes are the least for blocks of 4 KiB; the
/// credit a receiver can grant is what its slots hold.
public struct ReceiverMemory {
    /// The block buffers, one after the other.
    public let blocks: UnsafeMutableRawBufferPointer
    /// An element for each block buffer.
    public let slots: UnsafeMutableBufferPointer<BlockSlot>
    /// A bit for each chunk past the first missing one; a power of two of words.
    public let receipts: UnsafeMutableBufferPointer<UInt>

    /// How many chunks the receipts can follow.
    var receiptCount: UInt { UInt(bitPattern: receipts.count) &* UInt(UInt.bitWidth) }

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
        slots: UnsafeMutableBufferPointer<BlockSlot>,
        receipts: UnsafeMutableBufferPointer<UInt>
    ) {
        precondition(receipts.count > 0 && receipts.count & (receipts.count - 1) == 0)
        precondition(slots.count >= 2)
        self.blocks = blocks
        self.slots = slots
        self.receipts = receipts
    }
}

/// The memory belongs to one receiver; it is never shared.
extension ReceiverMemory: @unchecked Sendable {}
