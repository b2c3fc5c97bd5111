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
    mutating func timeout(context: inout ReceiverContext) -> TimeoutAction {
        switch self {
        case .idle: return .none
        case .finished:
            guard context.timer.isDue(at: context.now) else { return .none }
            context.previousSession = context.session.open.session
            self = .idle
            return .ended(context.result.reason)
        case .requesting, .lookingUp, .receiving, .judging, .verifying: break
        }
        if context.now >= context.silenceDeadline {
            leave(discarding: false, context: &context)
            context.ending = .silent
            self = .idle
            return .ended(.silent)
        }
        guard self == .requesting, context.timer.isDue(at: context.now) else { return .none }
        context.requestAgain()
        return .requestedAgain
    }

    /// Writes the next frame to send; `nil` if there is nothing to say before the next input.
    //= END-7: A receiver MUST send BUSY at the latest 100 milliseconds after it began and then at
    //= least every second while it looks up, judges, writes without giving credit, or verifies, and
    //= at once when it is polled meanwhile.
    mutating func writeNextFrame(
        context: inout ReceiverContext,
        into output: inout MutableRawSpan
    ) -> WrittenFrame? {
        let session = context.session.open.session
        switch self {
        case .idle: return nil
        case .requesting, .finished:
            guard context.isFrameDue else { return nil }
            context.isFrameDue = false
            let byteCount =
                self == .requesting
                ? context.request.encode(into: &output)
                : context.result.encode(session: session, into: &output)
            return WrittenFrame(session: session, byteCount: byteCount)
        case .lookingUp, .judging, .verifying:
            guard context.timer.takeDue(at: context.now) else { return nil }
        case .receiving:
            switch context.receiving.nextOutput(at: context.now) {
            case .nothing: return nil
            case .busy: break
            case .account:
                context.statistics.count(.acknowledgementSent)
                return WrittenFrame(
                    session: session,
                    byteCount: context.receiving.writeAccount(at: context.now, into: &output)
                )
            }
        }
        let busy = context.busy(busyPhase)
        return WrittenFrame(
            session: session,
            byteCount: busy.encode(session: session, into: &output)
        )
    }

    private var busyPhase: BusyPhase {
        switch self {
        case .lookingUp: .lookingUp
        case .receiving: .writing
        case .judging: .judging
        default: .verifying
        }
    }

    func hasTransmission(_ context: borrowing ReceiverContext, at now: Instant) -> Bool {
        switch self {
        case .idle: false
        case .requesting, .finished: context.isFrameDue
        case .lookingUp, .judging, .verifying: context.timer.isDue(at: now)
        case .receiving: context.receiving.hasTransmission(at: now)
        }
    }

    /// The next thing the store has to do.
    mutating func nextTask(context: inout ReceiverContext) -> StorageTask? {
        if let task = context.nextTask() { return task }
        return self == .receiving ? context.receiving.nextTask() : nil
    }

    func hasTask(_ context: borrowing ReceiverContext) -> Bool {
        self == .receiving && context.receiving.hasTask
    }

    /// When `timeout` or `writeNextFrame` has to be called, if no input comes before; `nil` only
    /// when idle, which waits for nothing.
    func deadline(context: borrowing ReceiverContext) -> Instant? {
        let own: Instant
        switch self {
        case .idle: return nil
        case .finished: return context.timer.deadline
        case .requesting, .lookingUp, .judging, .verifying: own = context.timer.deadline
        case .receiving: own = context.receiving.deadline
        }
        return min(own, context.silenceDeadline)
    }
}

extension ReceiverContext {
    fileprivate var request: ReceiverControl.Request {
        .init(session: session.open.session, nameTag: session.open.tag)
    }

    /// Before the first epoch of a session BUSY has object 0 and epoch 0.
    fileprivate func busy(_ phase: BusyPhase) -> ReceiverControl.Busy {
        let isAccountKnown = phase != .lookingUp
        return .init(
            phase: phase,
            object: isAccountKnown ? receiving.object : .manifest,
            epoch: isAccountKnown ? receiving.epoch : Epoch(0),
            millisecondsLeft: 0
        )
    }
}
