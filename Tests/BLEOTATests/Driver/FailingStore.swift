import BLEOTACore
import Synchronization
import SystemPackage

@testable import BLEOTA

/// A store in memory whose disk is full after some blocks of the image, until there is room again.
final class FailingStore: ImageStore {
    private let base = MemoryStore()
    private let blocksLeft: Mutex<Int>

    init(afterBlocks count: Int) { blocksLeft = Mutex(count) }

    func makeRoom() { blocksLeft.withLock { $0 = .max } }

    var currentBytes: [UInt8] {
        get async { await base.currentBytes }
    }

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
        let isFull = blocksLeft.withLock { left in
            if object == .image { left -= 1 }
            return left < 0
        }
        if isFull { throw .noSpace("the disk", bytesFree: 77) }
        try await base.write(bytes, object: object, blockIndex: blockIndex)
    }

    func synchronize() async throws(StoreError) { try await base.synchronize() }

    func acceptManifest(
        unless refusal: @Sendable (Manifest) -> ManifestRefusal?
    ) async throws(StoreError) -> (manifest: Manifest, held: [Bool]) {
        try await base.acceptManifest(unless: refusal)
    }

    func counter() async throws(StoreError) -> UInt32 { await base.counter() }

    func raiseCounter(to counter: UInt32) async throws(StoreError) {
        await base.raiseCounter(to: counter)
    }

    func publish() async throws(StoreError) -> StoredImage { try await base.publish() }

    func release() async { await base.release() }

    func discard() async { await base.discard() }
}
