import BlueZ
import Synchronization

/// What a link keeps while it is up, and the work of taking it down.
final class ConnectionEnding: Sendable {
    private struct State {
        var subscriptions: [BlueZSubscription] = []
        var task: Task<Void, Never>?
    }

    private let state = Mutex(State())

    func keep(_ subscriptions: [BlueZSubscription]) {
        state.withLock { state in
            // Subscriptions of a link that has ended meanwhile are dropped here.
            if state.task == nil { state.subscriptions = subscriptions }
        }
    }

    func begin(_ work: @escaping @Sendable () async -> Void) {
        let subscriptions = state.withLock { state -> [BlueZSubscription] in
            if state.task == nil { state.task = Task { await work() } }
            defer { state.subscriptions = [] }
            return state.subscriptions
        }
        for subscription in subscriptions { subscription.end() }
    }

    func wait() async {
        let task = state.withLock { $0.task }
        await task?.value
    }
}
