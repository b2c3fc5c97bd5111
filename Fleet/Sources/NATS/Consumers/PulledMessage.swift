import Synchronization

/// A message of a stream that this client has until it settles it or takes too long.
///
/// It is settled once, by ``acknowledge()``, ``refuse(after:)`` or ``giveUp()``. If it is released
/// without, the server delivers it again when its time is over.
package final class PulledMessage: Sendable {
    private let delivered: Delivered
    private let connection: NATSConnection
    private let isSettled = Mutex(false)

    init(_ delivered: Delivered, of connection: NATSConnection) {
        self.delivered = delivered
        self.connection = connection
    }

    package var subject: String { delivered.subject }
    package var payload: [UInt8] { delivered.payload }
    /// The place in the stream.
    package var sequence: UInt64 { delivered.delivery.sequence }
    /// When the server stored it, by its clock: nanoseconds since 1970.
    var nanoseconds: Int64 { delivered.delivery.nanoseconds }
    /// 1 at the first delivery, more if it was delivered before.
    package var deliveryCount: UInt64 { delivered.delivery.count }
    /// Whether it says that a key of a bucket was deleted.
    var isDeletion: Bool { delivered.isDeletion }

    /// Tells the server that the message is done, and returns when it has written that down: the
    /// message isn't delivered again, unless it was already.
    package func acknowledge() async throws(NATSError) {
        let limit = connection.requestLimit
        try await settle { handle, subject throws(NATSError) in
            _ = try handle.request(subject, Self.acknowledgement, within: limit)
        }
    }

    /// Tells the server that the message is done, without waiting. If the server doesn't hear it,
    /// the message is delivered again.
    func drop() async throws(NATSError) { try await say(Self.acknowledgement) }

    /// Gives the message back, to be delivered again after `pause`, of 1 ms to 60 s. If the server
    /// doesn't hear it, the message is delivered when its time is over.
    package func refuse(after pause: Duration) async throws(NATSError) {
        let nanoseconds = pause.limitedMilliseconds * 1_000_000
        try await say(Array(#"-NAK {"delay":\#(nanoseconds)}"#.utf8))
    }

    /// Tells the server not to deliver the message again to anyone.
    package func giveUp() async throws(NATSError) { try await say(Array("+TERM".utf8)) }

    /// Begins the time for the message anew.
    package func extend() async throws(NATSError) {
        if isSettled.withLock({ $0 }) { throw Self.settledTwice }
        let subject = delivered.settlement
        try await connection.perform { handle throws(NATSError) in
            try handle.publish(subject, Array("+WPI".utf8))
        }
    }

    private static let acknowledgement = Array("+ACK".utf8)
    private static let settledTwice = NATSError.wrongArgument("this message was settled before")

    private func say(_ word: [UInt8]) async throws(NATSError) {
        try await settle { handle, subject throws(NATSError) in
            try handle.publish(subject, word)
        }
    }

    private func settle(
        _ body: @escaping @Sendable (ConnectionHandle, String) throws(NATSError) -> Void
    ) async throws(NATSError) {
        let isFirst = isSettled.withLock { isSettled in
            defer { isSettled = true }
            return !isSettled
        }
        guard isFirst else { throw Self.settledTwice }
        let subject = delivered.settlement
        do {
            try await connection.perform { handle throws(NATSError) in try body(handle, subject) }
        } catch {
            isSettled.withLock { $0 = false }
            throw error
        }
    }
}
