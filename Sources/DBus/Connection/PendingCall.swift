import Synchronization

/// An operation that a task waits for; the task is resumed exactly once.
final class PendingCall: Sendable {
    typealias Outcome = Result<[BusValue], BusError>

    private struct State {
        var continuation: CheckedContinuation<Outcome, Never>?
        var outcome: Outcome?
    }

    private let state = Mutex(State())

    /// Waits for the outcome or for the cancellation of the task.
    func wait() async -> Outcome {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let outcome = state.withLock { state -> Outcome? in
                    if state.outcome == nil { state.continuation = continuation }
                    return state.outcome
                }
                if let outcome { continuation.resume(returning: outcome) }
            }
        } onCancel: {
            end(.failure(.cancelled))
        }
    }

    /// Ends the wait; only the first outcome counts.
    func end(_ outcome: Outcome) {
        let continuation = state.withLock { state -> CheckedContinuation<Outcome, Never>? in
            guard state.outcome == nil else { return nil }
            state.outcome = outcome
            return state.continuation.take()
        }
        continuation?.resume(returning: outcome)
    }

    var isOver: Bool { state.withLock { $0.outcome != nil } }
}
