import BLEOTACore
import BLEOTAManifest
import BLEOTAWire

@testable import BLEOTA

/// A store in memory of which a test changes a part: what it does not change is that of the memory.
protocol WrappedStore: ImageStore {
    var base: MemoryStore { get }
}

extension WrappedStore {
    var currentBytes: [UInt8] {
        get async { await base.currentBytes }
    }

    func open(
        _ transfer: TransferTag,
        manifestByteCount: Int
    ) async throws(StoreError) -> ResumeState {
        try await base.open(transfer, manifestByteCount: manifestByteCount)
    }

    func write(
        _ bytes: [UInt8],
        object: ObjectID,
        blockIndex: Int
    ) async throws(StoreError) {
        try await base.write(bytes, object: object, blockIndex: blockIndex)
    }

    func synchronize() async throws(StoreError) { try await base.synchronize() }

    func acceptManifest(
        unless refusal: @Sendable (Manifest) -> ManifestRefusal?,
        preferring isTrusted: @Sendable (Manifest) -> Bool
    ) async throws(StoreError) -> (manifest: Manifest, held: [Bool]) {
        try await base.acceptManifest(unless: refusal, preferring: isTrusted)
    }

    func status() async throws(StoreError) -> StoreStatus { await base.status() }

    func raiseCounter(to counter: UInt32) async throws(StoreError) {
        await base.raiseCounter(to: counter)
    }

    func publish(decodedBy decoder: ImageDecoder) async throws(StoreError) -> StoredImage {
        try await base.publish(decodedBy: decoder)
    }

    func release() async { await base.release() }

    func discard() async { await base.discard() }
}
