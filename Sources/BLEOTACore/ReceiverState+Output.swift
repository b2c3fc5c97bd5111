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
            context.previousSession = state.session
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
        case .idle:
            self = .idle
            return nil
        case .requesting(var state):
            let isDue = state.isRequestDue
            state.isRequestDue = false
            let request = state.request
            self = .requesting(state)
            return isDue
                ? ReceiverTransmission(session: request.session, frame: .request(request)) : nil
        case .lookingUp(var state):
            let isDue = state.busy.takeDue(at: now)
            let session = state.session.number
            self = .lookingUp(state)
            return isDue ? .busy(.lookingUp, .manifest, Epoch(0), session) : nil
        case .receiving(var state):
            let transmission = state.nextTransmission(context: &context, at: now)
            self = .receiving(state)
            return transmission
        case .judging(var state):
            let isDue = state.busy.takeDue(at: now)
            let (session, epoch) = (state.session.number, state.epoch)
            self = .judging(state)
            return isDue ? .busy(.judging, .manifest, epoch, session) : nil
        case .verifying(var state):
            let isDue = state.busy.takeDue(at: now)
            let (session, epoch) = (state.session.number, state.epoch)
            self = .verifying(state)
            return isDue ? .busy(.verifying, .image, epoch, session) : nil
        case .finished(var state):
            let isDue = state.isResultDue
            state.isResultDue = false
            let transmission = ReceiverTransmission(
                session: state.session,
                frame: .result(state.result)
            )
            self = .finished(state)
            return isDue ? transmission : nil
        }
    }

    func hasTransmission(at now: Instant) -> Bool {
        switch self {
        case .idle: false
        case .requesting(let state): state.isRequestDue
        case .lookingUp(let state): now >= state.busy.deadline
        case .receiving(let state): state.hasTransmission(at: now)
        case .judging(let state): now >= state.busy.deadline
        case .verifying(let state): now >= state.busy.deadline
        case .finished(let state): state.isResultDue
        }
    }

    /// The next thing the store has to do.
    mutating func nextTask(context: inout ReceiverContext) -> StorageTask? {
        if let task = context.nextTask() { return task }
        // Asked after every frame, and to move a state out and in costs more than to look.
        guard hasTask else { return nil }
        switch consume self {
        case .receiving(var receiving):
            let task = receiving.nextTask()
            self = .receiving(receiving)
            return task
        case let other:
            self = other
            return nil
        }
    }

    var hasTask: Bool {
        switch self {
        case .receiving(let receiving): receiving.hasTask
        default: false
        }
    }

    /// When `timeout` or `nextTransmission` has to be called, if no input comes before; `nil` only
    /// when idle, which waits for nothing.
    func deadline(context: borrowing ReceiverContext) -> Instant? {
        switch self {
        case .idle: nil
        case .requesting(let state): min(state.retry.deadline, context.silenceDeadline)
        case .lookingUp(let state): min(state.busy.deadline, context.silenceDeadline)
        case .receiving(let state): earlier(state.deadline, context.silenceDeadline)
        case .judging(let state): min(state.busy.deadline, context.silenceDeadline)
        case .verifying(let state): min(state.busy.deadline, context.silenceDeadline)
        case .finished(let state): state.expiresAt
        }
    }
}

extension ReceiverTransmission {
    fileprivate static func busy(
        _ phase: BusyPhase,
        _ object: ObjectID,
        _ epoch: Epoch,
        _ session: SessionNumber
    ) -> ReceiverTransmission {
        ReceiverTransmission(
            session: session,
            frame: .busy(.init(phase: phase, object: object, epoch: epoch, millisecondsLeft: 0))
        )
    }
}
