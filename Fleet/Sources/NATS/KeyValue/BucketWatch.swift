/// The changes of some keys of a bucket, from ``Bucket/watch(_:history:)``. It is read once, by one
/// task.
package final class BucketWatch: AsyncSequence, Sendable {
    package typealias Element = BucketChange
    package typealias Failure = NATSError

    private let pump: WatchPump
    private let connection: NATSConnection
    /// A thread of its own, because it waits as long as nothing changes.
    private let thread = BlockingPool(threadCountMax: 1)

    private init(_ pump: WatchPump, _ connection: NATSConnection) {
        self.pump = pump
        self.connection = connection
    }

    deinit {
        pump.end()
        thread.close { [pump] in pump.finish() }
        connection.ownThreads.giveBack()
    }

    static func open(
        _ plan: WatchPlan,
        on connection: NATSConnection
    ) async throws(NATSError) -> BucketWatch {
        try connection.events.requireConnected()
        try connection.ownThreads.take()
        let pump = WatchPump(plan, connection.handle, connection.events)
        let watch = BucketWatch(pump, connection)
        let mark = connection.events.violationCount
        do {
            try await watch.thread.run { () throws(NATSError) in try pump.begin() }
        } catch {
            guard error == .timeout else { throw connection.events.cause(of: error) }
            throw connection.events.violation(since: mark, naming: nil) ?? error
        }
        return watch
    }

    /// Returns the one reader.
    package func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }

    /// Reads a watch, which it keeps.
    package struct AsyncIterator: AsyncIteratorProtocol {
        private let watch: BucketWatch
        private var batch: ArraySlice<BucketChange> = []

        init(_ watch: BucketWatch) { self.watch = watch }

        /// The next change; `nil` when the task has been cancelled.
        ///
        /// - Throws: ``NATSError/notFound`` if the bucket was deleted; why the connection is
        ///   closed. Not if there is no connection at present: it waits for the next.
        package mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(NATSError) -> BucketChange? {
            if batch.isEmpty { batch = try await watch.nextBatch()[...] }
            return batch.popFirst()
        }
    }

    private func nextBatch() async throws(NATSError) -> [BucketChange] {
        let result = await withTaskCancellationHandler {
            await self.result()
        } onCancel: {
            pump.end()
        }
        return try result.get()
    }

    private func result() async -> Result<[BucketChange], NATSError> {
        do throws(NATSError) {
            return .success(
                try await thread.run { [pump] () throws(NATSError) in try pump.next() }
            )
        } catch {
            return error == .cancelled ? .success([]) : .failure(error)
        }
    }
}
