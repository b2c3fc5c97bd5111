import BLEOTACore
import Glibc
import SystemPackage

/// The memory of one receiver: block buffers of 256 KiB in all, so that an object with blocks of 4
/// KiB gets credit for 64 of them.
///
/// The blocks are pages of their own. An allocator keeps most of what hundreds of links have had
/// and given back, since other memory lies between.
final class ReceiverArena: @unchecked Sendable {
    static let byteCount = 1 << 18

    let memory: ReceiverMemory

    /// - Throws: `cannotConnect` where the system refuses the memory: that ends a link, and not the
    ///   process that serves others.
    init(byteCount: Int = ReceiverArena.byteCount) throws(TransferError) {
        let blocks = mmap(
            nil,
            byteCount,
            PROT_READ | PROT_WRITE,
            MAP_PRIVATE | MAP_ANONYMOUS,
            -1,
            0
        )
        guard let blocks, blocks != MAP_FAILED else {
            let errno = Errno(rawValue: errno)
            throw TransferError(
                .cannotConnect(
                    "The system refused \(byteCount) bytes of memory for a transfer (\(errno)); "
                        + "end other programs, or allow this one more."
                )
            )
        }
        let receivedBits = UnsafeMutableBufferPointer<UInt>.allocate(
            capacity: ReceiverMemory.receivedWordCount(
                slotCount: 1,
                blockByteCount: byteCount
            )
        )
        receivedBits.initialize(repeating: 0)
        memory = ReceiverMemory(
            blocks: UnsafeMutableRawBufferPointer(start: blocks, count: byteCount),
            receivedBits: receivedBits
        )
    }

    deinit {
        munmap(memory.blocks.baseAddress, memory.blocks.count)
        memory.receivedBits.deallocate()
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
