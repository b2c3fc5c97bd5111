import BLEOTACore
import BLEOTAWire
import Synchronization
import SystemPackage

@testable import BLEOTA

/// A store in memory whose disk is full after some blocks of the image, until there is room again.
final class FailingStore: WrappedStore {
    let base = MemoryStore()
    private let blocksLeft: Mutex<Int>

    init(afterBlocks count: Int) { blocksLeft = Mutex(count) }

    func makeRoom() { blocksLeft.withLock { $0 = .max } }

    func write(
        _ bytes: [UInt8],
        object: ObjectID,
        blockIndex: Int
    ) async throws(StoreError) {
        let isFull = blocksLeft.withLock { left in
            if object == .image { left -= 1 }
            return left < 0
        }
        if isFull { throw .noSpace("the disk", bytesFree: 77) }
        try await base.write(bytes, object: object, blockIndex: blockIndex)
    }
}
