import BLEOTACore
import BLEOTAHost
import Synchronization

/// A call to a store's `synchronize()` that runs while more blocks are written.
struct StoreFlush: Sendable {
    private final class Ending: Sendable {
        let isReached = Atomic(false)
    }

    /// How many bytes at the start of the object are durable once the flush succeeds.
    let durableByteCount: Int
    /// The ticket of the session that wrote the blocks.
    let ticket: StorageTicket
    private let ending: Ending
    private let task: Task<StoreError?, Never>

    /// - Parameter wakeup: signaled when the flush is over.
    init(
        of store: any ImageStore,
        durableByteCount: Int,
        for ticket: StorageTicket,
        then wakeup: AsyncSignal
    ) {
        self.durableByteCount = durableByteCount
        self.ticket = ticket
        let ending = Ending()
        self.ending = ending
        task = Task {
            defer {
                ending.isReached.store(true, ordering: .releasing)
                wakeup.call()
            }
            do throws(StoreError) {
                try await store.synchronize()
                return nil
            } catch {
                return error
            }
        }
    }

    /// Whether ``failure`` returns without waiting.
    var hasEnded: Bool { ending.isReached.load(ordering: .acquiring) }

    /// Waits until the flush is over, and returns its error, if any.
    var failure: StoreError? {
        get async { await task.value }
    }
}
