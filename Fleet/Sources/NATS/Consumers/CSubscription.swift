import CNATS

/// A subscription of libnats, which ends with this. It keeps its connection, which frees it.
final class CSubscription: @unchecked Sendable {
    private let pointer: OpaquePointer
    private let handle: ConnectionHandle

    init(owning pointer: OpaquePointer, _ handle: ConnectionHandle) {
        self.pointer = pointer
        self.handle = handle
    }

    deinit { handle.ended.add(pointer) }

    func end() { natsSubscription_Unsubscribe(pointer) }

    /// The messages and bytes that wait in this process; what comes beyond them is lost.
    func limit(messageCount: Int, byteCount: Int) throws(NATSError) {
        try NATSError.check(
            natsSubscription_SetPendingLimits(pointer, Int32(messageCount), Int32(byteCount))
        )
    }

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
