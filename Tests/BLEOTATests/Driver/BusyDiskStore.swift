import BLEOTACore
import Synchronization

@testable import BLEOTA

/// A store in memory whose disk, asked to make the first blocks of the image durable, is busy until
/// `blockCount` more were written: for ever, if its user waits with them.
final class BusyDiskStore: ImageStore {
    private struct State {
        var blocksLeft: Int?
        var hasBeenBusy = false
        var waiting: CheckedContinuation<Void, Never>?
    }

    private let base = MemoryStore()
    private let blockCount: Int
    private let state = Mutex(State())

    init(until blockCount: Int) { self.blockCount = blockCount }

    var hasBeenBusy: Bool { state.withLock { $0.hasBeenBusy } }

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
        try await base.write(bytes, object: object, blockIndex: blockIndex)
        let done = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard object == .image else { return nil }
            guard let left = state.blocksLeft else {
                state.blocksLeft = blockCount
                return nil
            }
            guard state.waiting != nil else { return nil }
            state.blocksLeft = left - 1
            return left == 1 ? state.waiting.take() : nil
        }
        done?.resume()
    }

    func synchronize() async throws(StoreError) {
        try await base.synchronize()
        let isBusy = state.withLock { $0.blocksLeft != nil && !$0.hasBeenBusy }
        guard isBusy else { return }
        await withCheckedContinuation { continuation in
            state.withLock { state in
                state.hasBeenBusy = true
                state.waiting = continuation
            }
        }
    }

    func acceptManifest() async throws(StoreError) -> (manifest: Manifest, held: [Bool]) {
        try await base.acceptManifest()
    }

    func publish() async throws(StoreError) -> StoredImage { try await base.publish() }

    func release() async { await base.release() }

    func discard() async { await base.discard() }
}
