/// A durable consumer of a stream: the server remembers what was acknowledged, and any number of
/// processes share it.
package final class PullConsumer: Sendable {
    private let pull: ConsumerPull
    private let connection: NATSConnection
    /// A thread of its own, because a fetch waits for seconds.
    private let thread = BlockingPool(threadCountMax: 1)

    init(_ pull: ConsumerPull, of connection: NATSConnection) {
        self.pull = pull
        self.connection = connection
    }

    deinit {
        pull.end()
        thread.close { [pull] in pull.finish() }
        connection.ownThreads.giveBack()
    }

    /// Fetches messages. Two fetches of one consumer come one after the other. After a task was
    /// cancelled in one, there are no more.
    ///
    /// - Parameters:
    ///   - count: 1 to ``Limits/fetchMax``.
    ///   - limit: how long to wait for the first if there is none, from 1 ms to
    ///     ``Limits/longestWait``.
    /// - Returns: at most `count` messages; none if none came in time, or if there is no such
    ///   consumer at present.
    package func fetch(
        _ count: Int,
        within limit: Duration
    ) async throws(NATSError) -> [PulledMessage] {
        guard (1...Limits.fetchMax).contains(count) else {
            throw .wrongArgument("1 to \(Limits.fetchMax) messages, not \(count)")
        }
        try connection.events.requireConnected()
        let limit = min(max(limit, .milliseconds(1)), Limits.longestWait)
        let result = await withTaskCancellationHandler {
            await self.result(count, limit)
        } onCancel: {
            pull.end()
        }
        return try result.get().map { PulledMessage($0, of: connection) }
    }

    private func result(
        _ count: Int,
        _ limit: Duration
    ) async -> Result<[Delivered], NATSError> {
        do throws(NATSError) {
            return .success(
                try await thread.run { [pull] () throws(NATSError) in
                    try pull.fetch(count, within: limit)
                }
            )
        } catch {
            return .failure(connection.events.cause(of: error))
        }
    }
}
