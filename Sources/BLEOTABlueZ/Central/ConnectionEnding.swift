import BlueZ
import Synchronization

/// Holds the subscriptions of a link while it is up, and runs the task that closes it.
final class ConnectionEnding: Sendable {
    private struct State {
        var subscriptions: [BlueZSubscription] = []
        var task: Task<Void, Never>?
        /// Closures that cancel the operations in progress.
        var cancellations: [UInt64: @Sendable () -> Void] = [:]
        var lastID: UInt64 = 0
    }

    private let state = Mutex(State())

    func keep(_ subscriptions: [BlueZSubscription]) {
        state.withLock { state in
            // The subscriptions of a link that has ended in the meantime are dropped here.
            if state.task == nil { state.subscriptions += subscriptions }
        }
    }

    /// Runs an operation that is cancelled with the caller's task or when the link ends.
    /// Otherwise a device that never answers would block a call until the daemon's timeout.
    func during<Value: Sendable>(
        _ operation: @escaping @Sendable () async throws(BlueZError) -> Value
    ) async throws(BlueZError) -> Value {
        let task = Task { () -> Result<Value, BlueZError> in
            do throws(BlueZError) {
                return .success(try await operation())
            } catch {
                return .failure(error)
            }
        }
        let (id, isOver) = state.withLock { state in
            state.lastID += 1
            state.cancellations[state.lastID] = { task.cancel() }
            return (state.lastID, state.task != nil)
        }
        defer { state.withLock { _ = $0.cancellations.removeValue(forKey: id) } }
        if isOver { task.cancel() }
        let outcome = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        return try outcome.get()
    }

    func begin(_ work: @escaping @Sendable () async -> Void) {
        let (subscriptions, cancellations) = state.withLock { state in
            if state.task == nil { state.task = Task { await work() } }
            defer { state.subscriptions = [] }
            return (state.subscriptions, Array(state.cancellations.values))
        }
        for subscription in subscriptions { subscription.end() }
        for cancel in cancellations { cancel() }
    }

    func wait() async {
        let task = state.withLock { $0.task }
        await task?.value
    }
}
