import BLEOTACore

/// The memory of a ``DeviceReceiver`` besides itself, cut from one piece that the caller owns.
///
/// The arithmetic, for blocks of b bytes and a slot of s bytes: two blocks, and 1,024 bytes at
/// least, in which four of the smallest find room and with them the longest chunk; 8 bytes for what
/// is in each of four; a bit for each chunk of 12 bytes that fits, rounded up to a power of two of
/// words; and a bit for each block of the slot, rounded up to words.
public struct DeviceMemory {
    let receiver: ReceiverMemory
    let heldWords: UnsafeMutableBufferPointer<UInt>
    /// The length of the longest blocks that are taken.
    let blockByteCount: Int

    private static var slotCount: Int { 4 }

    private static func blocksByteCount(_ blockByteCount: Int) -> Int {
        max(2 * blockByteCount, 1_024)
    }

    /// How much besides the blocks a receiver needs.
    static func overheadByteCount(blockByteCount: Int, slotByteCount: Int) -> Int {
        MemoryLayout<UInt>.size
            * (receiptWordCount(blockByteCount) + heldWordCount(blockByteCount, slotByteCount))
            + slotCount * MemoryLayout<BlockSlot>.stride
    }

    /// How much it needs at least.
    ///
    /// - Parameters:
    ///   - blockByteCount: the length of the longest blocks that are taken.
    ///   - slotByteCount: the room for an image.
    public static func byteCount(blockByteCount: Int, slotByteCount: Int) -> Int {
        overheadByteCount(blockByteCount: blockByteCount, slotByteCount: slotByteCount)
            + blocksByteCount(blockByteCount)
    }

    private static func receiptWordCount(_ blockByteCount: Int) -> Int {
        ReceiverMemory.receiptWordCount(
            slotCount: 1,
            blockByteCount: blocksByteCount(blockByteCount)
        )
    }

    private static func heldWordCount(_ blockByteCount: Int, _ slotByteCount: Int) -> Int {
        BlockMap.wordCount(forBlockCount: slotByteCount / blockByteCount + 1)
    }

    /// Cuts memory.
    ///
    /// - Parameter memory: at a multiple of 8, ``byteCount(blockByteCount:slotByteCount:)`` or
    ///   more, and nobody else's as long as the receiver lives.
    public init(
        _ memory: UnsafeMutableRawBufferPointer,
        blockByteCount: Int,
        slotByteCount: Int
    ) {
        self.blockByteCount = blockByteCount
        var rest = memory
        let receipts = rest.take(UInt.self, Self.receiptWordCount(blockByteCount))
        heldWords = rest.take(UInt.self, Self.heldWordCount(blockByteCount, slotByteCount))
        let slots = rest.take(BlockSlot.self, Self.slotCount)
        slots.initialize(repeating: BlockSlot())
        receiver = ReceiverMemory(blocks: rest, slots: slots, receipts: receipts)
    }
}

extension UnsafeMutableRawBufferPointer {
    /// Takes memory for some values from the front.
    fileprivate mutating func take<Value: BitwiseCopyable>(
        _: Value.Type,
        _ count: Int
    ) -> UnsafeMutableBufferPointer<Value> {
        let byteCount = count * MemoryLayout<Value>.stride
        let taken = UnsafeMutableRawBufferPointer(rebasing: self[..<byteCount])
        self = UnsafeMutableRawBufferPointer(rebasing: self[byteCount...])
        return taken.bindMemory(to: Value.self)
    }
}
