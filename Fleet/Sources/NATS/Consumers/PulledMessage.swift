import Synchronization

/// A message of a stream that this client has until it settles it or takes too long.
///
/// It is settled once, by ``acknowledge()``, ``refuse(after:)`` or ``giveUp()``. If it is released
/// without, the server delivers it again when its time is over.
package final class PulledMessage: Sendable {
    package let subject: String
    package let payload: [UInt8]
    /// The place in the stream.
    package let sequence: UInt64
    /// 1 at the first delivery, more if it was delivered before.
    package let deliveryCount: UInt64

    private let box: CMessageBox
    private let connection: NATSConnection
    private let isSettled = Mutex(false)

    init(_ box: CMessageBox, of connection: NATSConnection) throws(NATSError) {
        let delivery = try box.message.delivery()
        subject = box.message.subject
        payload = box.message.payload
        sequence = delivery.sequence
        deliveryCount = delivery.count
        self.box = box
        self.connection = connection
    }

    /// Tells the server that the message is done, and returns when it has written that down: the
    /// message isn't delivered again, unless it was already.
    package func acknowledge() async throws(NATSError) {
        try await settle { box throws(NATSError) in try box.acknowledge() }
    }

    /// Gives the message back, to be delivered again after `pause`, of 1 ms to 60 s. If the server
    /// doesn't hear it, the message is delivered when its time is over.
    package func refuse(after pause: Duration) async throws(NATSError) {
        try await settle { box throws(NATSError) in try box.refuse(after: pause) }
    }

    /// Tells the server not to deliver the message again to anyone.
    package func giveUp() async throws(NATSError) {
        try await settle { box throws(NATSError) in try box.giveUp() }
    }

    /// Begins the time for the message anew.
    package func extend() async throws(NATSError) {
        if isSettled.withLock({ $0 }) { throw Self.settledTwice }
        try await connection.perform { [box] _ throws(NATSError) in try box.extend() }
    }

    private static let settledTwice = NATSError.wrongArgument("this message was settled before")

    private func settle(
        _ body: @escaping @Sendable (CMessageBox) throws(NATSError) -> Void
    ) async throws(NATSError) {
        let isFirst = isSettled.withLock { isSettled in
            defer { isSettled = true }
            return !isSettled
        }
        guard isFirst else { throw Self.settledTwice }
        do {
            try await connection.perform { [box] _ throws(NATSError) in try body(box) }
        } catch {
            isSettled.withLock { $0 = false }
            throw error
        }
    }
}
