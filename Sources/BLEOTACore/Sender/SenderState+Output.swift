/// What the clock and the application do, and what the caller has to do next.
extension SenderState {
    /// What a passed deadline led to.
    enum TimeoutAction: Hashable {
        /// No deadline has passed.
        case none
        /// OPEN is repeated.
        case openedAgain
        /// The oldest chunk in flight is sent again, or POLL.
        case probed
        /// The pause of a burst is over.
        case resumed
        /// POLL asks what became of the object, or of the credit.
        case polled
        /// Echo probes find out what the link carries.
        case echoed
        /// The session is opened anew: with another chunk size, or because all answers are of older
        /// epochs.
        case reopened
        /// The session is over.
        case aborted(Reason)
    }

    mutating func timeout(context: inout SenderContext, at now: Instant) -> TimeoutAction {
        switch consume self {
        case .ended(let ended):
            self = .ended(ended)
            return .none
        case .opening(var opening):
            if let reason = context.abortReason(at: now) {
                self = .abort(reason)
                return .aborted(reason)
            }
            //= OPEN-2: A sender MUST repeat OPEN, with the same session number, until an ACK or a
            //= RESULT arrives or a limit of section 9 ends the session; BUSY does not end the
            //= repetition.
            let isDue = opening.retry.isDue(at: now)
            if isDue {
                opening.retry.advance(at: now)
                opening.isOpenDue = true
            }
            self = .opening(opening)
            return isDue ? .openedAgain : .none
        case .streaming(var streaming):
            if let reason = context.abortReason(at: now) {
                self = .abort(reason)
                return .aborted(reason)
            }
            let action = streaming.timeout(context: &context, at: now)
            switch action {
            case .echoed: self = .discoveringSize(SizeDiscovery(context: context, at: now))
            case .reopened:
                self = .reopening(chunkSize: context.chunkSize, context: &context, at: now)
            default: self = .streaming(streaming)
            }
            return action
        case .awaitingResult(var awaiting):
            if let reason = context.abortReason(at: now) {
                self = .abort(reason)
                return .aborted(reason)
            }
            let isDue = awaiting.poll.isDue(at: now)
            if isDue {
                awaiting.poll.advance(at: now)
                awaiting.isPollDue = true
            }
            self = .awaitingResult(awaiting)
            return isDue ? .polled : .none
        case .discoveringSize(var discovery):
            if let reason = context.abortReason(at: now) {
                self = .abort(reason)
                return .aborted(reason)
            }
            switch discovery.timeout(at: now) {
            case .wait:
                self = .discoveringSize(discovery)
                return .none
            case .repeatProbes:
                self = .discoveringSize(discovery)
                return .echoed
            case .conclude(let chunkSize):
                if discovery.isAnswered { context.isChunkSizeProven = true }
                self = .reopening(chunkSize: chunkSize, context: &context, at: now)
                return .reopened
            }
        }
    }

    //= END-5: An end that gives up MUST say so, a sender with CLOSE and a receiver with RESULT, and
    //= a reason; a receiver that heard nothing need not.
    /// The application gives up, or can't read the image any more.
    mutating func abort(_ reason: Reason) -> Bool {
        switch consume self {
        case .ended(let ended):
            self = .ended(ended)
            return false
        default:
            self = .abort(reason)
            return true
        }
    }
}

extension SenderState {
    /// The next datagram to send, or `nil` if there is nothing to say before the next input.
    mutating func nextTransmission(
        context: inout SenderContext,
        at now: Instant
    ) -> SenderTransmission? {
        switch consume self {
        case .opening(var opening):
            let isDue = opening.isOpenDue
            opening.isOpenDue = false
            if isDue { opening.sent(at: now) }
            self = .opening(opening)
            guard isDue else { return nil }
            context.awaitsAnswer(from: now)
            return .control(.open(context.open))
        case .streaming(var streaming):
            let transmission = streaming.nextTransmission(context: &context, at: now)
            self = .streaming(streaming)
            return transmission
        case .awaitingResult(var awaiting):
            let isDue = awaiting.isPollDue
            awaiting.isPollDue = false
            let poll = SenderControl.Poll(
                session: context.session,
                object: awaiting.object,
                epoch: awaiting.epoch
            )
            self = .awaitingResult(awaiting)
            guard isDue else { return nil }
            context.awaitsAnswer(from: now)
            return .control(.poll(poll))
        case .discoveringSize(var discovery):
            let byteCount = discovery.nextByteCount()
            self = .discoveringSize(discovery)
            guard let byteCount else { return nil }
            context.awaitsAnswer(from: now)
            // The size is its own token, so that a late reply is never taken for another size.
            return .echo(token: UInt16(byteCount), byteCount: byteCount)
        case .ended(var ended):
            let isDue = ended.isCloseDue
            ended.isCloseDue = false
            let reason = ended.outcome.closeReason
            self = .ended(ended)
            guard isDue else { return nil }
            return .control(.close(.init(session: context.session, reason: reason)))
        }
    }

    //= TIME-4: Every wait in either machine MUST have a deadline.
    /// When `timeout` has to be called, if no input comes before; `nil` only when ended.
    func deadline(context: borrowing SenderContext) -> Instant? {
        switch self {
        case .opening(let opening): min(opening.retry.deadline, context.abortDeadline)
        case .streaming(let streaming):
            earlier(streaming.deadline, context.abortDeadline)
        case .awaitingResult(let awaiting): min(awaiting.poll.deadline, context.abortDeadline)
        case .discoveringSize(let discovery): min(discovery.deadline, context.abortDeadline)
        case .ended: nil
        }
    }
}
