import BLEOTA
import Synchronization

/// Calls a function of a transport in a separate task, because the call may hang.
final class Probe<Value: Sendable>: Sendable {
    private final class Outcome: Sendable {
        let value = Mutex<Value?>(nil)
    }

    private let outcome: Outcome
    private let task: Task<Void, Never>

    init(_ action: @escaping @Sendable () async -> Value) {
        let outcome = Outcome()
        self.outcome = outcome
        task = Task { @concurrent in
            let value = await action()
            outcome.value.withLock { $0 = value }
        }
    }

    func cancel() { task.cancel() }

    /// Returns the result of the action; `nil` if it does not finish within the limit. May be
    /// called again.
    func value(within limit: Duration) async -> Value? {
        await polled(within: limit) { self.outcome.value.withLock { $0 } }
    }
}

extension Probe where Value == TransportError? {
    /// Runs a throwing action; the value is its error, or `nil`.
    convenience init(
        throwing action: @escaping @Sendable () async throws(TransportError) -> Void
    ) {
        self.init {
            do throws(TransportError) {
                try await action()
                return nil
            } catch {
                return error
            }
        }
    }
}

/// Repeats a question after short pauses, until it has an answer or the limit has passed.
func polled<Value>(within limit: Duration, _ question: () -> Value?) async -> Value? {
    let deadline = ContinuousClock.now + limit
    while true {
        if let answer = question() { return answer }
        if ContinuousClock.now > deadline { return nil }
        await pause(.milliseconds(1))
    }
}

/// Sleeps, even in a cancelled task.
func pause(_ duration: Duration) async {
    await Task { @concurrent in try? await Task.sleep(for: duration) }.value
}
