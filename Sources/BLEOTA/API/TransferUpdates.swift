import Synchronization

/// The updates of a transfer, in order. The last element of a push or pull is its result.
///
/// Each iterator starts its own transfer, in a separate task, when its first element is
/// requested. The sequence ends when the transfer succeeds, and throws when it fails.
///
/// ```swift
/// let updates = firmware.pushing(to: .socket("/run/device.socket"))
/// for try await update in updates { print(update) }
/// ```
///
/// Cancelling the task that iterates stops the transfer cleanly: the peer is notified, the
/// sequence throws an error with the code `cancelled`, and the same transfer can be resumed
/// later. Releasing the iterator early, for example by leaving the loop, stops the transfer in
/// the same way, but nothing waits for it to end. Top-level code may keep an iterator until the
/// program ends, so iterate in a function.
///
/// Elements are buffered until they are requested. A progress element replaces one that
/// directly precedes it in the buffer. If ``bufferedCountMax`` elements are buffered, the
/// oldest is dropped.
public struct TransferUpdates<Element: Sendable, Failure: Error>: AsyncSequence, Sendable {
    /// The maximum number of buffered elements: enough for a second of events from a busy
    /// receiver.
    public static var bufferedCountMax: Int { 1_024 }

    private let body: @Sendable (UpdateSink<Element>) async -> Result<Void, Failure>

    /// - Parameter body: runs the transfer and ends soon after its task is cancelled.
    package init(_ body: @escaping @Sendable (UpdateSink<Element>) async -> Result<Void, Failure>) {
        self.body = body
    }

    /// Creates an iterator. The transfer starts with the first call to ``Iterator/next()``.
    public func makeAsyncIterator() -> Iterator { Iterator(UpdateRun(body)) }

    /// An iterator that returns one element after another.
    public struct Iterator: AsyncIteratorProtocol {
        private let run: UpdateRun<Element, Failure>

        fileprivate init(_ run: UpdateRun<Element, Failure>) { self.run = run }

        /// The next element, or `nil` after the last.
        ///
        /// - Throws: the error that ended the transfer, once; later calls return `nil`.
        public mutating func next() async throws(Failure) -> Element? {
            try await run.next()
        }

        /// Same as ``next()``; the isolation is irrelevant because elements are `Sendable`.
        public mutating func next(
            isolation _: isolated (any Actor)?
        ) async throws(Failure) -> Element? {
            try await run.next()
        }
    }
}

/// The buffer between a transfer and its iterator. Safe to use from any task.
package final class UpdateSink<Element: Sendable>: Sendable {
    private struct State {
        var waiting: [Element] = []
        /// The key of the newest buffered element; `nil` if that element must not be replaced.
        var newestKey: String?
        var hasEnded = false
        var reader: CheckedContinuation<Void, Never>?
    }

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int) { self.limit = limit }

    /// Appends an element to the buffer.
    ///
    /// - Parameter key: a key for progress. The element replaces the newest buffered element if
    ///   both have the same key.
    package func yield(_ element: Element, replacing key: String? = nil) {
        let reader = state.withLock { state in
            if let key, key == state.newestKey, !state.waiting.isEmpty {
                state.waiting[state.waiting.count - 1] = element
            } else {
                if state.waiting.count == limit { state.waiting.removeFirst() }
                state.waiting.append(element)
            }
            state.newestKey = key
            return state.reader.take()
        }
        reader?.resume()
    }

    func end() {
        let reader = state.withLock { state in
            state.hasEnded = true
            return state.reader.take()
        }
        reader?.resume()
    }

    /// Waits for the oldest buffered element and removes it; `nil` at the end.
    func next() async -> Element? {
        while true {
            let (element, hasEnded) = state.withLock { state -> (Element?, Bool) in
                state.waiting.isEmpty
                    ? (nil, state.hasEnded) : (state.waiting.removeFirst(), false)
            }
            if let element { return element }
            if hasEnded { return nil }
            await withCheckedContinuation { continuation in
                let isLate = state.withLock { state in
                    guard state.waiting.isEmpty, !state.hasEnded else { return true }
                    precondition(state.reader == nil, "one task iterates")
                    state.reader = continuation
                    return false
                }
                if isLate { continuation.resume() }
            }
        }
    }
}

/// One transfer, from its first element to its end.
private final class UpdateRun<Element: Sendable, Failure: Error>: Sendable {
    private enum Stage {
        case unstarted
        case running(Task<Result<Void, Failure>, Never>)
        case over
    }

    private let body: @Sendable (UpdateSink<Element>) async -> Result<Void, Failure>
    private let sink = UpdateSink<Element>(
        limit: TransferUpdates<Element, Failure>.bufferedCountMax
    )
    private let stage = Mutex(Stage.unstarted)

    init(_ body: @escaping @Sendable (UpdateSink<Element>) async -> Result<Void, Failure>) {
        self.body = body
    }

    deinit {
        if case .running(let task) = stage.withLock({ $0 }) { task.cancel() }
    }

    func next() async throws(Failure) -> Element? {
        guard let task = started() else { return nil }
        let element = await withTaskCancellationHandler {
            await sink.next()
        } onCancel: {
            task.cancel()
        }
        if let element { return element }
        stage.withLock { $0 = .over }
        try await task.value.get()
        return nil
    }

    /// Returns the task of the transfer, which the first call starts; `nil` after the end of the
    /// transfer has been reported.
    private func started() -> Task<Result<Void, Failure>, Never>? {
        stage.withLock { stage in
            switch stage {
            case .over: return nil
            case .running(let task): return task
            case .unstarted:
                let task = Task { @concurrent [body, sink] in
                    let result = await body(sink)
                    sink.end()
                    return result
                }
                stage = .running(task)
                return task
            }
        }
    }
}
