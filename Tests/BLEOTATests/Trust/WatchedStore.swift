import BLEOTACore
import BLEOTAWire
import Synchronization
import SystemPackage

@testable import BLEOTA

/// A store in memory that notes what was done for an image.
final class WatchedStore: WrappedStore {
    let base = MemoryStore()
    private let isCounterStuck: Bool
    private let notes = Mutex((writeCount: 0, steps: [String]()))

    init(counterStuck: Bool = false) { isCounterStuck = counterStuck }

    var imageWriteCount: Int { notes.withLock { $0.writeCount } }
    /// What was done when the image was whole.
    var steps: [String] { notes.withLock { $0.steps } }

    func write(
        _ bytes: [UInt8],
        object: ObjectID,
        blockIndex: Int
    ) async throws(StoreError) {
        if object == .image { notes.withLock { $0.writeCount += 1 } }
        try await base.write(bytes, object: object, blockIndex: blockIndex)
    }

    func raiseCounter(to counter: UInt32) async throws(StoreError) {
        if isCounterStuck {
            throw .failed(.readOnlyFileSystem, to: "write", "counter", bytesFree: { 0 })
        }
        notes.withLock { $0.steps.append("counter \(counter)") }
        await base.raiseCounter(to: counter)
    }

    func publish(decodedBy decoder: ImageDecoder) async throws(StoreError) -> StoredImage {
        notes.withLock { $0.steps.append("publish") }
        return try await base.publish(decodedBy: decoder)
    }
}
