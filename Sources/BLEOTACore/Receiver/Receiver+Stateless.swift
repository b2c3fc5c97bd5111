/// Answers that are independent of the current session.
extension Receiver {
    /// An answer that does not depend on the current session.
    struct StatelessAnswer: BitwiseCopyable {
        /// The kind of frame to send.
        enum Kind: UInt8 {
            case echoReply
            case result
            case status
        }

        /// The kind, stored in 32 bits so that an answer has no padding. An array of answers
        /// can then be zeroed at once instead of field by field.
        private let kindNumber: UInt32
        /// The session of the frame, or the token of an ECHO REPLY.
        var number: UInt16
        /// The reason in a RESULT, or the byte count in an ECHO REPLY.
        var value: UInt16

        init(_ kind: Kind, _ number: UInt16, _ value: UInt16 = 0) {
            kindNumber = UInt32(kind.rawValue)
            self.number = number
            self.value = value
        }

        var kind: Kind { Kind(rawValue: UInt8(truncatingIfNeeded: kindNumber)) ?? .echoReply }
    }

    /// Queues an answer. If the queue is full, the answer replaces the newest one.
    @inline(never)
    private mutating func queue(_ kind: StatelessAnswer.Kind, _ number: UInt16, _ value: UInt16) {
        if answerCount < answers.count { answerCount &+= 1 }
        answers[answerCount &- 1] = StatelessAnswer(kind, number, value)
    }

    //= ECHO-1: A receiver MUST answer an echo probe whose checksum is valid, in any state, with
    //= ECHO REPLY.
    mutating func echo(token: UInt16, byteCount: Int) {
        queue(.echoReply, token, UInt16(truncatingIfNeeded: byteCount))
    }

    /// - Parameter reason: `version` or `noSession`.
    mutating func answerStray(_ session: SessionNumber, _ reason: Reason) {
        queue(.result, session.rawValue, reason.rawValue)
    }

    //= RUN-1: In any state, a receiver MUST answer QUERY with STATUS, with a checksum computed for
    //= the session in QUERY, and change nothing.
    mutating func answerQuery(_ session: SessionNumber) {
        queue(.status, session.rawValue, 0)
    }

    /// Writes the newest answer. The queue must not be empty.
    mutating func writeStatelessFrame(into output: inout MutableRawSpan) -> WrittenFrame {
        answerCount &-= 1
        let answer = answers[answerCount]
        var session = SessionNumber(answer.number)
        let byteCount: Int
        switch answer.kind {
        case .echoReply:
            session = .none
            byteCount = ReceiverControl.EchoReply(ofProbe: answer.number, byteCount: answer.value)
                .encode(into: &output)
        case .result:
            let reason = Reason(rawValue: answer.value)
            let detail = reason == .version ? ProtocolVersion.resultDetail : 0
            byteCount = ReceiverControl.Result(reason: reason, detail: detail)
                .encode(session: session, into: &output)
        case .status:
            byteCount = running.encode(session: session, into: &output)
        }
        return WrittenFrame(session: session, byteCount: byteCount)
    }
}
