import CNATS
import Dispatch
import Glibc
import Synchronization

/// Threads on which libnats may block, so that Swift's own few are never held up.
///
/// Every thread retains the pool until ``close(finally:)``.
final class BlockingPool: Sendable {
    typealias Job = @Sendable () -> Void

    private struct State {
        var jobs: [Job] = []
        var threadCount = 0
        var idleCount = 0
        var isClosed = false
    }

    private let threadCountMax: Int
    private let state = Mutex(State())
    /// Counts the jobs that no thread has taken, and at the end one more for each thread.
    private let bell = DispatchSemaphore(value: 0)

    init(threadCountMax: Int) { self.threadCountMax = threadCountMax }

    /// Runs `body` on one of the threads, and returns what it returns.
    ///
    /// A task that is cancelled meanwhile still waits: every body has a time limit of its own.
    func run<Value: Sendable>(
        _ body: @escaping @Sendable () throws(NATSError) -> Value
    ) async throws(NATSError) -> Value {
        if Task.isCancelled { throw .cancelled }
        let result: Result<Value, NATSError> = await withCheckedContinuation { continuation in
            let refusal = post {
                continuation.resume(returning: Result(catching: body))
            }
            if let refusal { continuation.resume(returning: .failure(refusal)) }
        }
        return try result.get()
    }

    /// Runs `job` on one of the threads, or returns why not.
    func post(_ job: @escaping Job) -> NATSError? {
        let (refusal, needsThread) = state.withLock { state -> (NATSError?, Bool) in
            if state.isClosed { return (.closed("closed by this side"), false) }
            if state.jobs.count >= Limits.waitingMax { return (.busy, false) }
            state.jobs.append(job)
            let needsThread =
                state.jobs.count > state.idleCount && state.threadCount < threadCountMax
            if needsThread { state.threadCount += 1 }
            return (nil, needsThread)
        }
        if refusal != nil { return refusal }
        if needsThread { startThread() }
        bell.signal()
        return nil
    }

    /// Takes no more jobs. Runs those that wait, then `last`, and ends the threads.
    func close(finally last: @escaping Job = {}) {
        let (isFirst, needsThread) = state.withLock { state -> (Bool, Bool) in
            if state.isClosed { return (false, false) }
            state.isClosed = true
            state.jobs.append(last)
            let needsThread = state.threadCount == 0
            if needsThread { state.threadCount = 1 }
            return (true, needsThread)
        }
        guard isFirst else { return }
        if needsThread { startThread() }
        let threadCount = state.withLock { $0.threadCount }
        // One for the last job, and one for each thread to see that there are none left.
        for _ in 0...threadCount { bell.signal() }
    }

    private func startThread() {
        var thread = pthread_t()
        let pool = Unmanaged.passRetained(self)
        let error = pthread_create(
            &thread,
            nil,
            { pool in
                guard let pool else { return nil }
                Unmanaged<BlockingPool>.fromOpaque(pool).takeRetainedValue().serve()
                return nil
            },
            pool.toOpaque()
        )
        // Without a thread, a caller would wait for ever.
        precondition(error == 0, "this process can't start another thread")
        pthread_detach(thread)
    }

    private func serve() {
        // libnats keeps its last error in memory of each thread that called it.
        defer { nats_ReleaseThreadMemory() }
        while true {
            state.withLock { $0.idleCount += 1 }
            bell.wait()
            let (job, isOver) = state.withLock { state -> (Job?, Bool) in
                state.idleCount -= 1
                if state.jobs.isEmpty { return (nil, state.isClosed) }
                return (state.jobs.removeFirst(), false)
            }
            job?()
            if isOver { return }
        }
    }
}
