import BLEOTACore
import Glibc

/// The memory of one receiver: block buffers of 256 KiB in all, so that an object with blocks of 4
/// KiB gets credit for 64 of them.
///
/// The blocks are pages of their own. An allocator keeps most of what hundreds of links have had
/// and given back, since other memory lies between.
final class ReceiverArena: @unchecked Sendable {
    private static let byteCount = 1 << 18

    let memory: ReceiverMemory

    init() {
        let blocks = mmap(
            nil,
            Self.byteCount,
            PROT_READ | PROT_WRITE,
            MAP_PRIVATE | MAP_ANONYMOUS,
            -1,
            0
        )
        // As where any other memory is refused.
        guard let blocks, blocks != MAP_FAILED else { fatalError("out of memory") }
        let receipts = UnsafeMutableBufferPointer<UInt>.allocate(
            capacity: ReceiverMemory.receiptWordCount(
                slotCount: 1,
                blockByteCount: Self.byteCount
            )
        )
        receipts.initialize(repeating: 0)
        memory = ReceiverMemory(
            blocks: UnsafeMutableRawBufferPointer(start: blocks, count: Self.byteCount),
            receipts: receipts
        )
    }

    deinit {
        munmap(memory.blocks.baseAddress, Self.byteCount)
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
