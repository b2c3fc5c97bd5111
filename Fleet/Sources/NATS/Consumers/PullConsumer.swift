/// A durable consumer of a stream: the server remembers what was acknowledged, and any number of
/// processes share it.
package final class PullConsumer: Sendable {
    private let subscription: CSubscription
    private let connection: NATSConnection
    /// A thread of its own, because a fetch waits for seconds.
    private let thread = BlockingPool(threadCountMax: 1)

    init(_ subscription: CSubscription, of connection: NATSConnection) {
        self.subscription = subscription
        self.connection = connection
    }

    deinit {
        thread.close()
        connection.ownThreads.giveBack()
    }

    /// Fetches messages. Two fetches of one consumer come one after the other.
    ///
    /// - Parameters:
    ///   - count: 1 to ``Limits/fetchMax``.
    ///   - limit: how long to wait for the first, from 1 ms to ``Limits/longestWait``. When there
    ///     is one, this returns it with those that are there already.
    /// - Returns: at most `count` messages; none if none came in time.
    package func fetch(
        _ count: Int,
        within limit: Duration
    ) async throws(NATSError) -> [PulledMessage] {
        guard (1...Limits.fetchMax).contains(count) else {
            throw .wrongArgument("1 to \(Limits.fetchMax) messages, not \(count)")
        }
        try connection.events.requireConnected()
        let boxes = try await thread.run { [subscription] () throws(NATSError) -> [CMessageBox] in
            try subscription.fetch(count, within: limit)
        }
        var messages: [PulledMessage] = []
        for box in boxes { messages.append(try PulledMessage(box, of: connection)) }
        return messages
    }
}
