import Synchronization

/// What a transfer reports, in order; the last element is its result.
///
/// The transfer begins when the first element is asked for, once for each iterator, and runs on a
/// task of its own. It ends the sequence when it has succeeded, and throws when it has not.
///
/// ```swift
/// let updates = firmware.pushing(to: .socket("/run/device.socket"))
/// for try await update in updates { print(update) }
/// ```
///
/// Cancelling the task that iterates stops the transfer cleanly: the peer is told, the sequence
/// throws its error with the code `cancelled`, and the same transfer goes on later from what is
/// stored. Leaving the loop early stops it in the same way, without anybody to wait for it.
///
/// Elements wait until they are asked for. Progress that was not asked for gives way to newer
/// progress; of everything else the oldest give way where ``bufferedCountMax`` wait.
public struct TransferUpdates<Element: Sendable, Failure: Error>: AsyncSequence, Sendable {
    /// How many elements wait at most: enough for the peers of a busy receiver in a second.
    public static var bufferedCountMax: Int { 1_024 }

    private let body: @Sendable (UpdateSink<Element>) async -> Result<Void, Failure>

    /// - Parameter body: the transfer; it ends soon when its task is cancelled.
    package init(_ body: @escaping @Sendable (UpdateSink<Element>) async -> Result<Void, Failure>) {
        self.body = body
    }

    /// Starts nothing yet: ``Iterator/next()`` does.
    public func makeAsyncIterator() -> Iterator { Iterator(UpdateRun(body)) }

    /// Asks for one element after the other.
    public struct Iterator: AsyncIteratorProtocol {
        private let run: UpdateRun<Element, Failure>

        fileprivate init(_ run: UpdateRun<Element, Failure>) { self.run = run }

        /// The next element, or `nil` after the result.
        ///
        /// - Throws: why the transfer ended otherwise, once; after that there are no more elements.
        public mutating func next() async throws(Failure) -> Element? {
            try await run.next()
        }

        /// The same: elements are `Sendable`.
        public mutating func next(
            isolation _: isolated (any Actor)?
        ) async throws(Failure) -> Element? {
            try await run.next()
        }
    }
}

/// Where a transfer puts its updates. Safe to use from any task.
package final class UpdateSink<Element: Sendable>: Sendable {
    private struct State {
        var waiting: [Element] = []
        /// Of the newest that waits, if it may give way to the next with the same key.
        var newestKey: String?
        var hasEnded = false
        var reader: CheckedContinuation<Void, Never>?
    }

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int) { self.limit = limit }

    /// Puts an element behind the others.
    ///
    /// - Parameter key: of progress: it takes the place of the newest element that waits, if that
    ///   has the same key.
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

    /// The oldest that waits, once there is one; `nil` at the end.
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

    /// The transfer's task; `nil` once its end was told.
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
