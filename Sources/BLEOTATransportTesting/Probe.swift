import BLEOTA
import Synchronization

/// An action of a transport, on a task of its own: it may hang, and nobody has to wait for it.
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

    /// What the action returned; `nil` if it has not returned in time. May be asked again.
    func value(within limit: Duration) async -> Value? {
        await polled(within: limit) { self.outcome.value.withLock { $0 } }
    }
}

extension Probe where Value == TransportError? {
    /// Runs what may throw; the value is the error.
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

/// Asks again and again, with short pauses, until there is an answer or the limit has passed.
func polled<Value>(within limit: Duration, _ question: () -> Value?) async -> Value? {
    let deadline = ContinuousClock.now + limit
    while true {
        if let answer = question() { return answer }
        if ContinuousClock.now > deadline { return nil }
        await pause(.milliseconds(1))
    }
}

/// Lets time pass, in a cancelled task as well.
func pause(_ duration: Duration) async {
    await Task { @concurrent in try? await Task.sleep(for: duration) }.value
}
