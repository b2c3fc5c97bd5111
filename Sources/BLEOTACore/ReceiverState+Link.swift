/// What the link brings.
extension ReceiverState {
    /// What OPEN led to.
    enum OpenAction: Hashable {
        /// A session began.
        case opened
        /// It was a repetition, and the answer is repeated.
        case answeredAgain
        /// It was late, or not the one that was requested.
        case ignored
    }

    mutating func open(
        _ open: SenderControl.Open,
        context: inout ReceiverContext
    ) -> OpenAction {
        //= OPEN-4: A receiver that gets an OPEN with the session number of its present session MUST
        //= answer again and change nothing.
        if isIn(open.session, context) {
            answerAgain(context: &context)
            return .answeredAgain
        }
        //= OPEN-5: A receiver that gets an OPEN with another session number MUST drop the present
        //= session, keep what is durable, and open the new one; unless the number is that of the
        //= session before the present one, in which case the frame is late and MUST be dropped.
        if context.previousSession == open.session { return .ignored }
        //= OPEN-10: A receiver that requests MUST ignore an OPEN with another session number.
        if self == .requesting, context.session.open.session != open.session {
            return .ignored
        }
        leave(discarding: false, context: &context)
        context.beginSession(open)
        context.ask(.lookUp)
        context.timer = .busy(from: context.now)
        self = .lookingUp
        return .opened
    }

    /// What POLL led to.
    enum PollAction: Hashable {
        /// The account is told at once, or BUSY, or RESULT again.
        case answered
        /// The session is none here, and the sender is told so.
        case disowned
    }

    mutating func poll(
        _ poll: SenderControl.Poll,
        context: inout ReceiverContext
    ) -> PollAction {
        guard isIn(poll.session, context) else {
            //= OPEN-6: A receiver that gets POLL for a session it is not in MUST answer RESULT *no
            //= session*, with the checksum of that session.
            context.answerStray(poll.session, .noSession)
            return .disowned
        }
        answerAgain(context: &context)
        return .answered
    }

    /// What CLOSE led to.
    enum CloseAction: Hashable {
        /// It was of another session.
        case ignored
        /// The session is over.
        case ended(Reason)
    }

    mutating func close(
        _ close: SenderControl.Close,
        context: inout ReceiverContext
    ) -> CloseAction {
        guard self != .idle, context.session.open.session == close.session else { return .ignored }
        //= END-8: A receiver that gets CLOSE with the reason *withdrawn* in a session that has not
        //= ended MUST forget what it holds of that transfer, durable or not. An image that was made
        //= current stays.
        leave(discarding: close.reason == .withdrawn, context: &context)
        // A finished session has told its ending already, and CLOSE only says that it was seen.
        if self != .finished { context.ending = close.reason }
        self = .idle
        return .ended(close.reason)
    }

    /// What a data frame led to.
    enum DataAction: Hashable {
        /// It was damaged, of another epoch, without a place, or nothing is being received.
        case dropped
        /// Its chunk was missing, and now is not.
        case placed
        /// Its chunk had arrived before.
        case repeated
    }

    mutating func data(
        _ frame: DataFrame,
        in datagram: RawSpan,
        context: inout ReceiverContext
    ) -> DataAction {
        guard self == .receiving,
            let placement = context.receiving.take(frame, in: datagram, at: context.now)
        else { return .dropped }
        context.lastHeard = context.now
        switch placement {
        case .beyondEdge, .wrongLength: return .dropped
        case .placed: return .placed
        case .repeated: return .repeated
        }
    }
}
