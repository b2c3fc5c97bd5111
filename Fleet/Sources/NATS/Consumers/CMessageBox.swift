import CNATS

/// A delivered message that outlives a function. It keeps its subscription, which libnats needs to
/// acknowledge it.
///
/// libnats locks nothing in a message, so every use is a job of one thread.
final class CMessageBox: @unchecked Sendable {
    let message: CMessage
    private let subscription: CSubscription

    init(_ pointer: OpaquePointer, _ subscription: CSubscription) {
        message = CMessage(owning: pointer)
        self.subscription = subscription
    }

    /// Acknowledges, and returns when the server has written it down.
    func acknowledge() throws(NATSError) {
        var code = jsErrCode(0)
        let status = message.withPointer { natsMsg_AckSync($0, nil, &code) }
        try NATSError.check(status, code)
    }

    func extend() throws(NATSError) {
        try NATSError.check(message.withPointer { natsMsg_InProgress($0, nil) })
    }

    func refuse(after pause: Duration) throws(NATSError) {
        let milliseconds = pause.limitedMilliseconds
        try NATSError.check(message.withPointer { natsMsg_NakWithDelay($0, milliseconds, nil) })
    }

    func giveUp() throws(NATSError) {
        try NATSError.check(message.withPointer { natsMsg_Term($0, nil) })
    }
}
