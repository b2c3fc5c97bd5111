import BLEOTACore
import Synchronization

@testable import BLEOTA

/// A store in memory that counts what was done for an image.
final class WatchedStore: WrappedStore {
    let base = MemoryStore()
    private let counts = Mutex((writes: 0, rooms: 0))

    var imageWriteCount: Int { counts.withLock { $0.writes } }
    var roomMadeCount: Int { counts.withLock { $0.rooms } }

    func write(
        _ bytes: [UInt8],
        object: ObjectID,
        blockIndex: Int
    ) async throws(StoreError) {
        if object == .image { counts.withLock { $0.writes += 1 } }
        try await base.write(bytes, object: object, blockIndex: blockIndex)
    }

    func acceptManifest(
        unless refusal: @Sendable (Manifest) -> ManifestRefusal?
    ) async throws(StoreError) -> (manifest: Manifest, held: [Bool]) {
        let accepted = try await base.acceptManifest(unless: refusal)
        counts.withLock { $0.rooms += 1 }
        return accepted
    }
}
