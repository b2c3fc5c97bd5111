import BLEOTACore
import BLEOTAHost
import Synchronization

/// A store's `synchronize()` that is under way while blocks are still written.
struct StoreFlush: Sendable {
    private final class Ending: Sendable {
        let isReached = Atomic(false)
    }

    /// How much of the object, from its beginning on, is durable once this ends well.
    let durableByteCount: Int
    /// Of the session that the blocks belong to.
    let ticket: StorageTicket
    private let ending: Ending
    private let task: Task<StoreError?, Never>

    /// - Parameter wakeup: is called when it is over.
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

    /// Whether ``failure`` is there without waiting.
    var hasEnded: Bool { ending.isReached.load(ordering: .acquiring) }

    /// Waits for its end; what went wrong, if anything did.
    var failure: StoreError? {
        get async { await task.value }
    }
}
