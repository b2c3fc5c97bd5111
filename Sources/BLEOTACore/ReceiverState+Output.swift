/// What the clock does, and what the caller has to do next.
extension ReceiverState {
    /// What a passed deadline led to.
    enum TimeoutAction: Hashable {
        case none
        case requestedAgain
        /// The session is over: nothing was heard, or RESULT was kept long enough.
        case ended(Reason)
    }

    //= TIME-3: A receiver MUST end the session, and keep what is durable, when nothing valid
    //= arrived for 30 seconds.
    mutating func timeout(context: inout ReceiverContext, at now: Instant) -> TimeoutAction {
        switch consume self {
        case .idle:
            self = .idle
            return .none
        case .requesting(var state):
            if now >= context.silenceDeadline {
                self = .idle
                return .ended(.silent)
            }
            let isDue = state.retry.isDue(at: now)
            if isDue {
                state.retry.advance(at: now)
                state.isRequestDue = true
            }
            self = .requesting(state)
            return isDue ? .requestedAgain : .none
        case .finished(let state):
            guard now >= state.expiresAt else {
                self = .finished(state)
                return .none
            }
            context.previousSession = context.session.open.session
            self = .idle
            return .ended(state.result.reason)
        case let other:
            self = other
            guard now >= context.silenceDeadline else { return .none }
            leave(discarding: false, context: &context)
            self = .idle
            return .ended(.silent)
        }
    }

    /// The next frame to send, or `nil` if there is nothing to say before the next input.
    //= END-7: A receiver MUST send BUSY at the latest 100 milliseconds after it began and then at
    //= least every second while it looks up, judges, writes without giving credit, or verifies, and
    //= at once when it is polled meanwhile.
    mutating func nextTransmission(
        context: inout ReceiverContext,
        at now: Instant
    ) -> ReceiverTransmission? {
        switch consume self {
        case .requesting(var state):
            let isDue = state.isRequestDue
            state.isRequestDue = false
            let request = state.request
            self = .requesting(state)
            return isDue
                ? ReceiverTransmission(session: request.session, frame: .request(request)) : nil
        case .lookingUp(var busy):
            let isDue = busy.takeDue(at: now)
            self = .lookingUp(busy)
            return isDue ? context.busy(.lookingUp, .manifest, Epoch(0)) : nil
        case .receiving:
            self = .receiving
            return context.nextAccount(at: now)
        case .judging(var busy):
            let isDue = busy.takeDue(at: now)
            self = .judging(busy)
            return isDue ? context.busy(.judging, .manifest, context.receiving.epoch) : nil
        case .verifying(var busy):
            let isDue = busy.takeDue(at: now)
            self = .verifying(busy)
            return isDue ? context.busy(.verifying, .image, context.receiving.epoch) : nil
        case .finished(var state):
            let isDue = state.isResultDue
            state.isResultDue = false
            let result = state.result
            self = .finished(state)
            return isDue
                ? ReceiverTransmission(session: context.session.open.session, frame: .result(result))
                : nil
        case let other:
            self = other
            return nil
        }
    }

    func hasTransmission(_ context: borrowing ReceiverContext, at now: Instant) -> Bool {
        switch self {
        case .idle: false
        case .requesting(let state): state.isRequestDue
        case .lookingUp(let busy): now >= busy.deadline
        case .receiving: context.receiving.hasTransmission(at: now)
        case .judging(let busy): now >= busy.deadline
        case .verifying(let busy): now >= busy.deadline
        case .finished(let state): state.isResultDue
        }
    }

    /// The next thing the store has to do.
    mutating func nextTask(context: inout ReceiverContext) -> StorageTask? {
        if let task = context.nextTask() { return task }
        return isReceiving ? context.receiving.nextTask() : nil
    }

    func hasTask(_ context: borrowing ReceiverContext) -> Bool {
        isReceiving && context.receiving.hasTask
    }

    /// When `timeout` or `nextTransmission` has to be called, if no input comes before; `nil` only
    /// when idle, which waits for nothing.
    func deadline(context: borrowing ReceiverContext) -> Instant? {
        switch self {
        case .idle: nil
        case .requesting(let state): min(state.retry.deadline, context.silenceDeadline)
        case .lookingUp(let busy): min(busy.deadline, context.silenceDeadline)
        case .receiving: earlier(context.receiving.deadline, context.silenceDeadline)
        case .judging(let busy): min(busy.deadline, context.silenceDeadline)
        case .verifying(let busy): min(busy.deadline, context.silenceDeadline)
        case .finished(let state): state.expiresAt
        }
    }
}

extension ReceiverContext {
    fileprivate func busy(
        _ phase: BusyPhase,
        _ object: ObjectID,
        _ epoch: Epoch
    ) -> ReceiverTransmission {
        ReceiverTransmission(
            session: session.open.session,
            frame: .busy(.init(phase: phase, object: object, epoch: epoch, millisecondsLeft: 0))
        )
    }

    /// ACK, or BUSY where it has to be said instead.
    fileprivate mutating func nextAccount(at now: Instant) -> ReceiverTransmission? {
        switch receiving.nextOutput(at: now) {
        case .nothing: return nil
        case .busy: return busy(.writing, receiving.object, receiving.epoch)
        case .account:
            statistics.acknowledgementsSent += 1
            return ReceiverTransmission(
                session: session.open.session,
                frame: .acknowledgement(receiving.account(at: now))
            )
        }
    }
}
