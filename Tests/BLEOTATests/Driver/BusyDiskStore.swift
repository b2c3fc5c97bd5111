import BLEOTACore
import BLEOTAWire
import Synchronization

@testable import BLEOTA

/// A store in memory whose disk, first asked when part of the image is written, is busy until all
/// of it is.
final class BusyDiskStore: WrappedStore {
    private struct State {
        var blocksLeft: Int
        var isImageBegun = false
        var wasBusy = false
        var hasGivenUp = false
        var waiting: CheckedContinuation<Void, Never>?
    }

    let base = MemoryStore()
    private let patience: Duration
    private let state: Mutex<State>

    /// - Parameters:
    ///   - blockCount: how many the image has. It must be fewer than a driver may write before it
    ///     waits for the disk.
    ///   - patience: how long the disk is busy at most, so that a driver that waits for it fails
    ///     the test instead of holding it up.
    init(imageBlockCount blockCount: Int, patience: Duration = .seconds(60)) {
        self.patience = patience
        state = Mutex(State(blocksLeft: blockCount))
    }

    /// Whether the disk was busy, and the driver did not wait for it.
    var wasWrittenBesides: Bool { state.withLock { $0.wasBusy && !$0.hasGivenUp } }

    func write(
        _ bytes: [UInt8],
        object: ObjectID,
        blockIndex: Int
    ) async throws(StoreError) {
        try await base.write(bytes, object: object, blockIndex: blockIndex)
        if object != .image { return }
        let done = state.withLock { state -> CheckedContinuation<Void, Never>? in
            state.isImageBegun = true
            state.blocksLeft -= 1
            return state.blocksLeft == 0 ? state.waiting.take() : nil
        }
        done?.resume()
    }

    func synchronize() async throws(StoreError) {
        try await base.synchronize()
        let isToBeBusy = state.withLock { state in
            state.isImageBegun && state.blocksLeft > 0 && !state.wasBusy
        }
        if !isToBeBusy { return }
        let impatience = Task {
            try await Task.sleep(for: patience)
            giveUp()
        }
        await withCheckedContinuation { continuation in
            let isDone = state.withLock { state in
                if state.blocksLeft == 0 { return true }
                state.wasBusy = true
                state.waiting = continuation
                return false
            }
            if isDone { continuation.resume() }
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
}
