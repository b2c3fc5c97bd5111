import BLEOTACore

/// The memory of one receiver: block buffers of 256 KiB in all, so that an object with blocks of 4
/// KiB gets credit for 64 of them.
final class ReceiverArena: @unchecked Sendable {
    private static let byteCount = 1 << 18

    let memory: ReceiverMemory

    init() {
        let blocks = UnsafeMutableRawBufferPointer.allocate(
            byteCount: Self.byteCount,
            alignment: 64
        )
        let receipts = UnsafeMutableBufferPointer<UInt>.allocate(
            capacity: ReceiverMemory.receiptWordCount(
                slotCount: 1,
                blockByteCount: Self.byteCount
            )
        )
        receipts.initialize(repeating: 0)
        memory = ReceiverMemory(blocks: blocks, receipts: receipts)
    }

    deinit {
        memory.blocks.deallocate()
        memory.receipts.deallocate()
    }
}

/// The memory of a ``BlockMap``.
final class BlockMapMemory: @unchecked Sendable {
    private let words: UnsafeMutableBufferPointer<UInt>
    let map: BlockMap

    init(held: [Bool]) {
        words = .allocate(capacity: max(BlockMap.wordCount(forBlockCount: held.count), 1))
        words.initialize(repeating: 0)
        map = BlockMap(blockCount: held.count, in: words)
        for (index, isHeld) in held.enumerated() where isHeld { map[index] = true }
    }

    deinit { words.deallocate() }
}
