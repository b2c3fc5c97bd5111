import Synchronization

/// A queue that handles the requests for one attribute one at a time.
final class RequestQueue: Sendable {
    typealias Job = @Sendable () async -> Void

    private struct State {
        var jobs: [Job] = []
        var isRunning = false
    }

    private let state = Mutex(State())

    /// Adds a job to the queue; returns `false` if the queue is full.
    func add(_ job: @escaping Job) -> Bool {
        let (isTaken, starts) = state.withLock { state in
            guard state.jobs.count < LocalWriting.waitingCountMax else { return (false, false) }
            state.jobs.append(job)
            defer { state.isRunning = true }
            return (true, !state.isRunning)
        }
        if starts { Task { await run() } }
        return isTaken
    }

    private func run() async {
        while let job = next() { await job() }
    }

    private func next() -> Job? {
        state.withLock { state in
            guard !state.jobs.isEmpty else {
                state.isRunning = false
                return nil
            }
            return state.jobs.removeFirst()
        }
    }

    /// Returns the handler's result. A handler that exceeds the deadline is cancelled, and the
    /// result is ``ATTError/unlikelyError``.
    static func answer<Value: Sendable>(
        _ handler: @escaping @Sendable () async -> Result<Value, ATTError>
    ) async -> Result<Value, ATTError> {
        let wait = ConditionWait<Result<Value, ATTError>>()
        let work = Task { wait.end(.success(await handler())) }
        let alarm = Task {
            try await Task.sleep(for: LocalReading.answerDeadline)
            wait.end(.failure(.timedOut("The handler")))
        }
        defer {
            alarm.cancel()
            work.cancel()
        }
        return switch await wait.outcome() {
        case .success(let answer): answer
        case .failure: .failure(.unlikelyError)
        }
    }
}
