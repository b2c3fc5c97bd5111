import BLEOTACore
import Synchronization

@testable import BLEOTA

/// A store in memory whose disk, asked to make the first blocks of the image durable, is busy until
/// more blocks were written than a driver that waits for the disk would have written.
///
/// Counted are all blocks of the image, not those since the disk became busy: how soon the driver's
/// task that asks the disk comes to run is the scheduler's affair.
final class BusyDiskStore: ImageStore {
    private struct State {
        var blockCount = 0
        var hasBeenAsked = false
        var hasGivenUp = false
        var waiting: CheckedContinuation<Void, Never>?
    }

    private let base = MemoryStore()
    private let blockCount: Int
    private let patience: Duration
    private let state = Mutex(State())

    /// - Parameters:
    ///   - blockCount: what the disk waits for.
    ///   - patience: how long it does, so that a driver that waits for the disk fails the test
    ///     instead of holding it up.
    init(until blockCount: Int, patience: Duration = .seconds(60)) {
        self.blockCount = blockCount
        self.patience = patience
    }

    /// Whether the disk was asked, and the driver did not wait for it.
    var wasWrittenBesides: Bool { state.withLock { $0.hasBeenAsked && !$0.hasGivenUp } }

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
        if object != .image { return }
        let done = state.withLock { state -> CheckedContinuation<Void, Never>? in
            state.blockCount += 1
            return state.blockCount >= blockCount ? state.waiting.take() : nil
        }
        done?.resume()
    }

    func synchronize() async throws(StoreError) {
        try await base.synchronize()
        let impatience = Task {
            try await Task.sleep(for: patience)
            giveUp()
        }
        await withCheckedContinuation { continuation in
            let isBusy = state.withLock { state in
                // What comes before the image isn't written beside anything.
                guard state.blockCount > 0 else { return false }
                state.hasBeenAsked = true
                guard state.blockCount < blockCount else { return false }
                state.waiting = continuation
                return true
            }
            if !isBusy { continuation.resume() }
        }
        impatience.cancel()
    }

    private func giveUp() {
        let waiting = state.withLock { state in
            state.hasGivenUp = state.hasGivenUp || state.waiting != nil
            return state.waiting.take()
        }
        waiting?.resume()
    }

    func acceptManifest() async throws(StoreError) -> (manifest: Manifest, held: [Bool]) {
        try await base.acceptManifest()
    }

    func publish() async throws(StoreError) -> StoredImage { try await base.publish() }

    func release() async { await base.release() }

    func discard() async { await base.discard() }
}
