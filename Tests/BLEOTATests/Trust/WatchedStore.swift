import BLEOTACore
import Synchronization

@testable import BLEOTA

/// A store in memory that counts what was done for an image.
final class WatchedStore: ImageStore {
    let base = MemoryStore()
    private let counts = Mutex((writes: 0, rooms: 0))

    var imageWriteCount: Int { counts.withLock { $0.writes } }
    var roomMadeCount: Int { counts.withLock { $0.rooms } }

    func open(
        _ transfer: TransferTag,
        manifestByteCount: Int
    ) async throws(StoreError) -> HeldTransfer {
        try await base.open(transfer, manifestByteCount: manifestByteCount)
    }

    func write(
        _ bytes: [UInt8],
        object: ObjectID,
        blockIndex: Int
    ) async throws(StoreError) {
        if object == .image { counts.withLock { $0.writes += 1 } }
        try await base.write(bytes, object: object, blockIndex: blockIndex)
    }

    func synchronize() async throws(StoreError) { try await base.synchronize() }

    func acceptManifest(
        unless refusal: @Sendable (Manifest) -> ManifestRefusal?
    ) async throws(StoreError) -> (manifest: Manifest, held: [Bool]) {
        let accepted = try await base.acceptManifest(unless: refusal)
        counts.withLock { $0.rooms += 1 }
        return accepted
    }

    func counter() async throws(StoreError) -> UInt32 { await base.counter() }

    func raiseCounter(to counter: UInt32) async throws(StoreError) {
        await base.raiseCounter(to: counter)
    }

    func publish() async throws(StoreError) -> StoredImage { try await base.publish() }

    func release() async { await base.release() }

    func discard() async { await base.discard() }
}
