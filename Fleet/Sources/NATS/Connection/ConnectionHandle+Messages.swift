import CNATS

extension ConnectionHandle {
    func publish(_ subject: String, _ payload: [UInt8]) throws(NATSError) {
        try NATSError.check(
            natsConnection_Publish(connection, subject, payload, Int32(payload.count))
        )
    }

    /// Publishes a request whose answers come to a subscription.
    func publish(
        _ subject: String,
        _ payload: [UInt8],
        answers: String
    ) throws(NATSError) {
        try NATSError.check(
            natsConnection_PublishRequest(
                connection,
                subject,
                answers,
                payload,
                Int32(payload.count)
            )
        )
    }

    /// A subject that nobody else has, to which this user may subscribe.
    func newInbox() -> String {
        let numbers = (0..<2).map { _ in String(UInt64.random(in: 0 ... .max), radix: 36) }
        return inboxPrefix + "." + numbers.joined()
    }

    func request(
        _ subject: String,
        _ payload: [UInt8],
        within limit: Duration
    ) throws(NATSError) -> [UInt8] {
        var answer: OpaquePointer?
        try NATSError.check(
            natsConnection_Request(
                &answer,
                connection,
                subject,
                payload,
                Int32(payload.count),
                limit.limitedMilliseconds
            )
        )
        guard let answer else { throw .failed("no answer") }
        return CMessage(owning: answer).payload
    }

    /// Stores a message in the stream of its subject, and returns once the server has it on disk,
    /// as far as the server is configured to sync.
    func store(_ publication: Publication) throws(NATSError) -> StoredMessage {
        let message = try CMessage.make(publication)
        var options = jsPubOptions()
        jsPubOptions_Init(&options)
        switch publication.expectation {
        case .anything: break
        case .lastInStream(let sequence): options.ExpectLastSeq = sequence
        case .lastOfSubject(let sequence?): options.ExpectLastSubjectSeq = sequence
        case .lastOfSubject(nil): options.ExpectNoMessage = true
        }
        var stored: UnsafeMutablePointer<jsPubAck>?
        var code = jsErrCode(0)
        let status = CText.with(publication.id?.text) { id in
            options.MsgId = id
            return message.withPointer { js_PublishMsg(&stored, jetStream, $0, &options, &code) }
        }
        try NATSError.check(status, code)
        guard let stored else { throw .failed("no acknowledgement") }
        defer { jsPubAck_Destroy(stored) }
        return StoredMessage(
            sequence: stored.pointee.Sequence,
            isDuplicate: stored.pointee.Duplicate
        )
    }
}
