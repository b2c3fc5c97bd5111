import Synchronization

/// Requests of one attribute, handled one after the other.
final class RequestQueue: Sendable {
    typealias Job = @Sendable () async -> Void

    private struct State {
        var jobs: [Job] = []
        var isRunning = false
    }

    private let state = Mutex(State())

    /// Takes a job; false if too many wait.
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

    /// What a handler answers, or that it takes too long; it is cancelled then.
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
