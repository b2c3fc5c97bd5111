import FleetTestSupport
import Synchronization

/// What has happened so far.
final class Log<Event: Sendable>: Sendable {
    private let state = Mutex<[Event]>([])

    var events: [Event] { state.withLock { $0 } }

    func add(_ event: Event) { state.withLock { $0.append(event) } }

    func await(_ what: String, _ condition: @escaping (Event) -> Bool) async throws {
        try await eventually(what) { self.events.contains(where: condition) }
    }
}

/// Runs work beside a test, and ends it with the test.
final class Background<Failure: Error>: Sendable {
    private let task: Task<Failure?, Never>

    init(_ work: @escaping @Sendable () async throws(Failure) -> Void) {
        task = Task {
            do throws(Failure) {
                try await work()
                return nil
            } catch {
                return error
            }
        }
    }

    deinit { task.cancel() }

    /// Ends the work, and returns why it failed before.
    func end() async -> Failure? {
        task.cancel()
        return await task.value
    }
}
