import BLEOTACore
import Glibc
import SystemPackage

/// The memory of one receiver: 256 KiB of block buffers, enough for a credit of 64 blocks of 4 KiB.
///
/// The buffers are mapped separately. An allocator would keep most of the memory that hundreds of
/// closed links had freed, because other allocations would lie between the buffers.
final class ReceiverArena: @unchecked Sendable {
    static let byteCount = 1 << 18

    let memory: ReceiverMemory

    /// - Throws: a ``TransferError`` with the code `cannotConnect` if memory for the
    ///   transfer can't be allocated. The link then ends, but the process continues to serve
    ///   others.
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
                        + "end other programs, or raise this program's memory limit."
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

    deinit {
        // To code that reads the map too late, every block looks held, and that code traps.
        #if DEBUG
        words.update(repeating: .max)
        #endif
        words.deallocate()
    }
}
