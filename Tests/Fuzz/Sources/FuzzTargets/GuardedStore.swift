import BLEOTA
import BLEOTACore
import BLEOTAManifest
import BLEOTAWire
import Synchronization

/// The store of a device that a stranger talks to. It notes what must not happen to it: that room
/// is made for an image, or one is written, that the owner did not sign for it.
final class GuardedStore: ImageStore {
    private let scene: HostileScene
    private let base = MemoryStore()
    private let broken = Mutex<BrokenProperty?>(nil)

    /// - Parameter isBegun: whether the owner's own transfer was left in the middle.
    init(_ scene: HostileScene, isBegun: Bool) async throws(BrokenProperty) {
        self.scene = scene
        do throws(StoreError) {
            await base.raiseCounter(to: HostileScene.counter)
            if isBegun { try await begin(scene.manifests[0]) }
        } catch {
            throw BrokenProperty(description: "a store that fails by itself: \(error)")
        }
    }

    private func begin(_ manifest: Manifest) async throws(StoreError) {
        _ = try await base.open(manifest.tag, manifestByteCount: manifest.bytes.count)
        try await base.write(manifest.bytes, object: .manifest, blockIndex: 0)
        try await base.synchronize()
        _ = try await base.acceptManifest()
        try await base.write(scene.block(1), object: .image, blockIndex: 1)
        try await base.synchronize()
        await base.release()
    }

    /// What did not hold, and whether the device still has what it had.
    func check() async throws(BrokenProperty) {
        if let broken = broken.withLock({ $0 }) { throw broken }
        let counter = await base.status().counter
        try require(counter == HostileScene.counter, "the counter is \(counter)")
        let current = await base.currentBytes
        try require(current.isEmpty || current == scene.image, "another image is current")
    }

    private func note(_ isHeld: Bool, _ description: @autoclosure () -> String) {
        guard !isHeld else { return }
        let property = BrokenProperty(description: description())
        broken.withLock { $0 = $0 ?? property }
    }

    // MARK: - ImageStore

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
        if object == .image {
            note(bytes == scene.block(blockIndex), "block \(blockIndex) is not the owner's")
        }
        try await base.write(bytes, object: object, blockIndex: blockIndex)
    }

    func synchronize() async throws(StoreError) { try await base.synchronize() }

    func acceptManifest(
        unless refusal: @Sendable (Manifest) -> ManifestRefusal?,
        preferring isTrusted: @Sendable (Manifest) -> Bool
    ) async throws(StoreError) -> (manifest: Manifest, held: [Bool]) {
        let accepted = try await base.acceptManifest(unless: refusal, preferring: isTrusted)
        note(accepted.manifest == scene.manifests[0], "room is made for \(accepted.manifest.tag)")
        return accepted
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

extension HostileScene {
    /// A block of the owner's image.
    fileprivate func block(_ index: Int) -> [UInt8] {
        let start = index * manifests[0].blockByteCount
        guard start < image.count else { return [] }
        return Array(image[start..<min(start + manifests[0].blockByteCount, image.count)])
    }
}
