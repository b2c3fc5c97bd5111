import CNATS
import Synchronization

/// Subscriptions that have ended, until libnats can't be using them any more.
///
/// The thread of libnats that reads a connection looks a subscription up and then uses it, but
/// before libnats 3.6.1 nothing keeps it meanwhile. If it is freed then, the process dies. That
/// thread takes one thing after the other. So once it has taken the answer to a PING that was sent
/// after a subscription's end, it is done with the subscription.
///
/// Whoever subscribes frees what has ended. So no more wait here than were in use at once.
final class EndedSubscriptions: Sendable {
    private static let answerLimit = Duration.seconds(5)

    private struct State {
        /// The addresses of what libnats made, in the order in which it ended.
        var addresses: [UInt] = []
        /// The number of all that have ended so far.
        var endedCount = 0
    }

    private let state = Mutex(State())

    /// Ends a subscription, and takes it over.
    func add(_ subscription: OpaquePointer) {
        natsSubscription_Unsubscribe(subscription)
        state.withLock { state in
            state.addresses.append(UInt(bitPattern: subscription))
            state.endedCount += 1
        }
    }

    /// Frees what has ended, after a round trip to the server if there is something.
    ///
    /// - Throws: ``NATSError/timeout``, and what says that there is no server. Then all remain.
    func free(_ connection: OpaquePointer) throws(NATSError) {
        let (isEmpty, end) = state.withLock { ($0.addresses.isEmpty, $0.endedCount) }
        if isEmpty { return }
        try NATSError.check(
            natsConnection_FlushTimeout(connection, Self.answerLimit.limitedMilliseconds)
        )
        free(to: end)
    }

    /// Frees all, after the connection was closed, which ends that thread.
    func freeAll() { free(to: state.withLock { $0.endedCount }) }

    /// Frees those that were the first `end` to end, of which another thread may have freed some.
    private func free(to end: Int) {
        let done = state.withLock { state in
            let count = max(0, end - (state.endedCount - state.addresses.count))
            defer { state.addresses.removeFirst(count) }
            return state.addresses.prefix(count)
        }
        for address in done { natsSubscription_Destroy(OpaquePointer(bitPattern: address)) }
    }
}
