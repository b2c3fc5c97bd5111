import Synchronization

/// Keeps calls from being answered until a test opens it.
final class FakeGate: Sendable {
    private struct State {
        var isOpen = false
        var waiting: [@Sendable () async -> Void] = []
    }

    private let state = Mutex(State())

    /// How many wait.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    func pass(_ work: @escaping @Sendable () async -> Void) async {
        let isOpen = state.withLock { state in
            if !state.isOpen { state.waiting.append(work) }
            return state.isOpen
        }
        if isOpen { await work() }
    }

    /// Lets through what waits, in its order, and everything after it.
    func open() async {
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            state.isOpen = true
            return state.waiting
        }
        for work in waiting { await work() }
    }
}
