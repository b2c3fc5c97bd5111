import CNATS

/// A subscription of libnats, which is freed with this. It keeps its connection.
final class CSubscription: @unchecked Sendable {
    let pointer: OpaquePointer
    private let handle: ConnectionHandle

    init(owning pointer: OpaquePointer, _ handle: ConnectionHandle) {
        self.pointer = pointer
        self.handle = handle
    }

    deinit { natsSubscription_Destroy(pointer) }

    /// Ends the subscription, and lets the server forget the consumer that it made for it.
    func end() { natsSubscription_Unsubscribe(pointer) }

    /// The next message, or `nil` if none comes in time.
    func next(within limit: Duration) throws(NATSError) -> CMessage? {
        var message: OpaquePointer?
        let status = natsSubscription_NextMsg(&message, pointer, limit.limitedMilliseconds)
        if status == NATS_TIMEOUT { return nil }
        try NATSError.check(status)
        return message.map { CMessage(owning: $0) }
    }

    /// Whether a message waits in this process.
    var hasMore: Bool {
        var count: UInt64 = 0
        return natsSubscription_QueuedMsgs(pointer, &count) == NATS_OK && count > 0
    }
}
