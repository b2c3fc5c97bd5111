import Synchronization

/// Resumes a task with the first of several answers.
final class FirstAnswer<Value: Sendable>: Sendable {
    typealias Continuation = CheckedContinuation<Result<Value, NATSError>, Never>

    private let continuation: Mutex<Continuation?>

    init(_ continuation: Continuation) { self.continuation = Mutex(continuation) }

    func give(_ answer: Result<Value, NATSError>) {
        continuation.withLock { $0.take() }?.resume(returning: answer)
    }
}
