/// The receiving half of a session.
///
///     idle ──request──▶ requesting ──OPEN──▶ lookingUp ──plan──▶ receiving(manifest)
///       └──────────────OPEN────────────────────▲ │ │                   │ whole
///                                              │ │ └──plan──┐          ▼
///                                  look again  │ │ current  │       judging
///                                              │ ▼          ▼          │ accepted
///       idle ◀──CLOSE, time── finished ◀──── verifying ◀── receiving(image)
///
/// From every state but idle an OPEN of another session leads to lookingUp, CLOSE and silence to idle,
/// and a refusal or failure to finished. The table in spec/bleota.md, section 9.2, is this file in
/// words, and a test compares the two.
///
/// This file knows sessions, epochs and chunks. It does not know files, hashes, the clock, or which
/// end is the central.
enum ReceiverState: ~Copyable {
    case idle
    case requesting(Requesting)
    case lookingUp(LookingUp)
    case receiving(Receiving)
    case judging(Judging)
    case verifying(Verifying)
    case finished(Finished)

    /// What a session is about.
    struct Session {
        let open: SenderControl.Open
        var manifestFailureCount = 0
        var publishFailureCount = 0

        var number: SessionNumber { open.session }
    }

    /// REQUEST is out; neither OPEN nor CLOSE has come.
    struct Requesting {
        let request: ReceiverControl.Request
        var retry: Backoff
        var isRequestDue = true
    }

    /// The store looks for what is held of the transfer.
    struct LookingUp {
        var session: Session
        var busy: BusyTimer
    }

    /// The manifest is whole; the store judges it.
    struct Judging {
        var session: Session
        let epoch: Epoch
        var busy: BusyTimer
    }

    /// The image is whole; the store hashes it and makes it current.
    struct Verifying {
        var session: Session
        let epoch: Epoch
        var busy: BusyTimer
    }

    /// RESULT is said, and kept for a sender that has not heard it.
    struct Finished {
        let session: SessionNumber
        let result: ReceiverControl.Result
        let expiresAt: Instant
        var isResultDue = true
    }
}

// MARK: - Inputs from the link

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
        _ open: SenderControl.Open, context: inout ReceiverContext, at now: Instant
    ) -> OpenAction {
        //= OPEN-4: A receiver that gets an OPEN with the session number of its present session MUST
        //= answer again and change nothing.
        if session == open.session {
            answerAgain(context: &context, at: now)
            return .answeredAgain
        }
        //= OPEN-5: A receiver that gets an OPEN with another session number MUST drop the present
        //= session, keep what is durable, and open the new one; unless the number is that of the
        //= session before the present one, in which case the frame is late and MUST be dropped.
        if context.previousSession == open.session { return .ignored }
        //= OPEN-10: A receiver that requests MUST ignore an OPEN with another session number.
        if let requested = requestedSession, requested != open.session { return .ignored }
        leave(discarding: false, context: &context)
        context.beginSession(open, at: now)
        context.ask(.lookUp(open.tag, manifestByteCount: open.manifestByteCount))
        self = .lookingUp(LookingUp(session: Session(open: open), busy: BusyTimer(from: now)))
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
        _ poll: SenderControl.Poll, context: inout ReceiverContext, at now: Instant
    ) -> PollAction {
        guard session == poll.session else {
            //= OPEN-6: A receiver that gets POLL for a session it is not in MUST answer RESULT *no
            //= session*, with the checksum of that session.
            context.answerStray(poll.session, .init(reason: .noSession))
            return .disowned
        }
        answerAgain(context: &context, at: now)
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
        _ close: SenderControl.Close, context: inout ReceiverContext
    ) -> CloseAction {
        guard session == close.session || requestedSession == close.session else {
            return .ignored
        }
        leave(discarding: false, context: &context)
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
        _ frame: DataFrame, in datagram: RawSpan, context: inout ReceiverContext, at now: Instant
    ) -> DataAction {
        switch consume self {
        case .receiving(var receiving):
            let action = receiving.take(frame, in: datagram, context: &context, at: now)
            self = .receiving(receiving)
            return action
        case let other:
            self = other
            return .dropped
        }
    }

    /// The session it is in; `nil` while idle or requesting.
    private var session: SessionNumber? {
        switch self {
        case .idle: nil
        case .requesting: nil
        case .lookingUp(let state): state.session.number
        case .receiving(let state): state.session.number
        case .judging(let state): state.session.number
        case .verifying(let state): state.session.number
        case .finished(let state): state.session
        }
    }

    private var requestedSession: SessionNumber? {
        switch self {
        case .requesting(let state): state.request.session
        default: nil
        }
    }

    //= END-2: A receiver MUST repeat its RESULT when POLL or OPEN of that session arrives, until CLOSE
    //= arrives, another session opens or 10 seconds have passed.
    /// The sender wants to know where things stand.
    //= OPEN-3: A receiver MUST answer OPEN with its account: ACK with what it has of the transfer, BUSY
    //= while it looks, or RESULT.
    private mutating func answerAgain(context: inout ReceiverContext, at now: Instant) {
        context.lastHeard = now
        switch consume self {
        case .lookingUp(var state):
            state.busy.ask(at: now)
            self = .lookingUp(state)
        case .receiving(var state):
            state.asked(at: now)
            self = .receiving(state)
        case .judging(var state):
            state.busy.ask(at: now)
            self = .judging(state)
        case .verifying(var state):
            state.busy.ask(at: now)
            self = .verifying(state)
        case .finished(var state):
            state.isResultDue = true
            self = .finished(state)
        case let other:
            self = other
        }
    }

    //= END-6: A receiver MUST keep what is durable when a session ends for any reason but a refusal.
    /// Lets go of the store, if the session has it. The caller sets the next state.
    private func leave(discarding: Bool, context: inout ReceiverContext) {
        switch self {
        case .idle: return
        case .requesting: return
        case .finished(let state): context.previousSession = state.session
        default:
            context.previousSession = session
            context.dropTasks()
            context.ask(.release(discarding: discarding))
        }
    }
}

// MARK: - Inputs from the application and the store

extension ReceiverState {
    /// Asks the peer for an object; false unless idle.
    mutating func request(_ request: ReceiverControl.Request, at now: Instant) -> Bool {
        switch consume self {
        case .idle:
            //= OPEN-8: A receiver MUST repeat REQUEST, with the same session number, until OPEN or
            //= CLOSE arrives or its silence limit ends the session.
            let retry = Backoff(from: now, first: .milliseconds(640), max: .seconds(2))
            self = .requesting(Requesting(request: request, retry: retry))
            return true
        case let other:
            self = other
            return false
        }
    }

    /// The application gives up; false if there was nothing to give up.
    mutating func giveUp(
        because reason: Reason, context: inout ReceiverContext, at now: Instant
    ) -> Bool {
        switch consume self {
        case .requesting:
            self = .idle
            return true
        case .idle:
            self = .idle
            return false
        case .finished(let state):
            self = .finished(state)
            return false
        case let other:
            self = other
            finish(.init(reason: reason), discarding: false, context: &context, at: now)
            return true
        }
    }

    /// What an answer of the store led to.
    enum AnswerAction: Hashable {
        /// It does not fit the state.
        case ignored
        /// An object is received from here on.
        case receiving
        /// A block is stored, or more is durable.
        case progressed
        /// A block, or the manifest, has to come again.
        case restarted
        /// The object is whole and goes to be judged or verified.
        case whole
        /// The session ended with this result.
        case finished(Reason)
    }

    mutating func answer(
        _ answer: StorageAnswer, context: inout ReceiverContext, at now: Instant
    ) -> AnswerAction {
        switch answer {
        case .planned(let plan): planned(plan, context: &context, at: now)
        case .alreadyCurrent(let receipt): published(receipt, context: &context, at: now)
        case .published(let receipt): published(receipt, context: &context, at: now)
        case .manifestMismatch(let plan): manifestMismatch(plan, context: &context, at: now)
        case .lookUpAgain: lookUpAgain(context: &context, at: now)
        case .stored(let block): stored(block, context: &context, at: now)
        case .rejected(let block): rejected(block, context: &context, at: now)
        case .durable(let byteCount): durable(byteCount, at: now)
        case .refused(let reason, let detail): refused(reason, detail, context: &context, at: now)
        }
    }

    //= OBJ-1: A receiver that does not have the manifest of the transfer MUST ask for object 0, and
    //= for object 1 only when the manifest is accepted.
    private mutating func planned(
        _ plan: ObjectPlan, context: inout ReceiverContext, at now: Instant
    ) -> AnswerAction {
        switch consume self {
        case .lookingUp(let state):
            self = .beginning(plan, of: state.session, context: &context, at: now)
        case .judging(let state) where plan.object == .image:
            self = .beginning(plan, of: state.session, context: &context, at: now)
        case let other:
            self = other
            return .ignored
        }
        return afterBeginning(context: &context, at: now)
    }

    private static func beginning(
        _ plan: ObjectPlan, of session: Session, context: inout ReceiverContext, at now: Instant
    ) -> ReceiverState {
        guard
            let receiving = Receiving(plan: plan, session: session, context: &context, at: now)
        else {
            context.ask(.release(discarding: false))
            let result = ReceiverControl.Result(
                reason: .tooLarge, detail: UInt64(context.memory.blocks.count / 2))
            return .finished(
                Finished(
                    session: session.number, result: result,
                    expiresAt: now + context.options.resultLimit))
        }
        return .receiving(receiving)
    }

    private mutating func afterBeginning(
        context: inout ReceiverContext, at now: Instant
    ) -> AnswerAction {
        if case .finished(let reason) = phase { return .finished(reason) }
        return completeIfStored(context: &context, at: now) ?? .receiving
    }

    private mutating func stored(
        _ block: Int, context: inout ReceiverContext, at now: Instant
    ) -> AnswerAction {
        switch consume self {
        case .receiving(var receiving):
            let isExpected = receiving.stored(block, at: now)
            self = .receiving(receiving)
            guard isExpected else { return .ignored }
            return completeIfStored(context: &context, at: now) ?? .progressed
        case let other:
            self = other
            return .ignored
        }
    }

    /// Goes on to judge or verify when the last block is stored.
    private mutating func completeIfStored(
        context: inout ReceiverContext, at now: Instant
    ) -> AnswerAction? {
        switch consume self {
        case .receiving(let receiving) where receiving.isStored:
            let busy = BusyTimer(from: now)
            let (session, epoch) = (receiving.session, receiving.epoch)
            if receiving.object == .manifest {
                context.ask(.judge)
                self = .judging(Judging(session: session, epoch: epoch, busy: busy))
            } else {
                context.ask(.publish)
                self = .verifying(Verifying(session: session, epoch: epoch, busy: busy))
            }
            return .whole
        case let other:
            self = other
            return nil
        }
    }

    //= OBJ-5: A receiver that rejects a block MUST begin a new epoch in which that block is missing;
    //= after 8 rejections without an accepted block between them it MUST end the session with RESULT
    //= *block mismatch* and the block number as detail.
    private mutating func rejected(
        _ block: Int, context: inout ReceiverContext, at now: Instant
    ) -> AnswerAction {
        switch consume self {
        case .receiving(var receiving):
            guard receiving.rejected(block, context: &context, at: now) else {
                self = .receiving(receiving)
                return .ignored
            }
            let isHopeless = receiving.rejectionCount >= Receiving.rejectionCountMax
            self = .receiving(receiving)
            guard isHopeless else { return .restarted }
            finish(
                .init(reason: .blockMismatch, detail: UInt64(block)), discarding: false,
                context: &context, at: now)
            return .finished(.blockMismatch)
        case let other:
            self = other
            return .ignored
        }
    }

    private mutating func durable(_ byteCount: UInt32, at now: Instant) -> AnswerAction {
        switch consume self {
        case .receiving(var receiving):
            receiving.durable(byteCount, at: now)
            self = .receiving(receiving)
            return .progressed
        case let other:
            self = other
            return .ignored
        }
    }

    //= OBJ-2: A receiver MUST check that object 0, once complete, has the byte count and the SHA-256
    //= that OPEN announced in part, and begin it anew, in a new epoch, if not; after 3 such failures
    //= it MUST end the session with RESULT *manifest mismatch*.
    private mutating func manifestMismatch(
        _ plan: ObjectPlan, context: inout ReceiverContext, at now: Instant
    ) -> AnswerAction {
        switch consume self {
        case .judging(var state):
            state.session.manifestFailureCount += 1
            guard state.session.manifestFailureCount < 3 else {
                self = .judging(state)
                finish(
                    .init(reason: .manifestMismatch), discarding: false, context: &context,
                    at: now)
                return .finished(.manifestMismatch)
            }
            self = .beginning(plan, of: state.session, context: &context, at: now)
            let action = afterBeginning(context: &context, at: now)
            return action == .receiving ? .restarted : action
        case let other:
            self = other
            return .ignored
        }
    }

    private mutating func lookUpAgain(
        context: inout ReceiverContext, at now: Instant
    ) -> AnswerAction {
        switch consume self {
        case .verifying(var state):
            state.session.publishFailureCount += 1
            guard state.session.publishFailureCount < 3 else {
                self = .verifying(state)
                finish(
                    .init(reason: .imageMismatch), discarding: false, context: &context, at: now)
                return .finished(.imageMismatch)
            }
            let open = state.session.open
            context.ask(.lookUp(open.tag, manifestByteCount: open.manifestByteCount))
            self = .lookingUp(LookingUp(session: state.session, busy: state.busy))
            return .restarted
        case let other:
            self = other
            return .ignored
        }
    }

    //= END-1: A receiver that has made the image current MUST send RESULT *verified*, whose detail
    //= holds the first 8 bytes of the SHA-256 it computed, as a little-endian number.
    private mutating func published(
        _ receipt: UInt64, context: inout ReceiverContext, at now: Instant
    ) -> AnswerAction {
        switch phase {
        case .lookingUp, .verifying:
            finish(
                .init(reason: .verified, detail: receipt), discarding: false, context: &context,
                at: now)
            return .finished(.verified)
        default: return .ignored
        }
    }

    //= OBJ-3: A receiver MUST refuse a manifest that breaks a rule of section 4.2, that exceeds its
    //= limits or that its policy does not allow, before it erases or writes anything of the image.
    private mutating func refused(
        _ reason: Reason, _ detail: UInt64, context: inout ReceiverContext, at now: Instant
    ) -> AnswerAction {
        switch phase {
        case .idle, .requesting, .finished: return .ignored
        case .judging:
            finish(
                .init(reason: reason, detail: detail), discarding: true, context: &context, at: now)
        case .lookingUp, .receiving, .verifying:
            finish(
                .init(reason: reason, detail: detail), discarding: false, context: &context,
                at: now)
        }
        return .finished(reason)
    }

    /// Ends the session with a RESULT.
    private mutating func finish(
        _ result: ReceiverControl.Result, discarding: Bool, context: inout ReceiverContext,
        at now: Instant
    ) {
        guard let session else { preconditionFailure("only a session can be finished") }
        // The number stays that of the present session until another opens.
        let previous = context.previousSession
        leave(discarding: discarding, context: &context)
        context.previousSession = previous
        self = .finished(
            Finished(
                session: session, result: result, expiresAt: now + context.options.resultLimit))
    }
}

// MARK: - Time and outputs

extension ReceiverState {
    /// What a passed deadline led to.
    enum TimeoutAction: Hashable {
        case none
        case requestedAgain
        /// The session is over: nothing was heard, or RESULT was kept long enough.
        case ended(Reason)
    }

    //= TIME-3: A receiver MUST end the session, and keep what is durable, when nothing valid arrived
    //= for 30 seconds.
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
    //= END-7: A receiver MUST send BUSY at the latest 100 milliseconds after it began and then at least
    //= every second while it looks up, judges, writes without giving credit, or verifies, and at once
    //= when it is polled meanwhile.
    mutating func nextTransmission(
        context: inout ReceiverContext, at now: Instant
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
                session: state.session, frame: .result(state.result))
            self = .finished(state)
            return isDue ? transmission : nil
        }
    }

    /// The next thing the store has to do.
    mutating func nextTask(context: inout ReceiverContext) -> StorageTask? {
        if let task = context.nextTask() { return task }
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

    var phase: ReceiverPhase {
        switch self {
        case .idle: .idle
        case .requesting: .requesting
        case .lookingUp: .lookingUp
        case .receiving(let state): .receiving(state.object)
        case .judging: .judging
        case .verifying: .verifying
        case .finished(let state): .finished(state.result.reason)
        }
    }
}

extension ReceiverTransmission {
    fileprivate static func busy(
        _ phase: BusyPhase, _ object: ObjectID, _ epoch: Epoch, _ session: SessionNumber
    ) -> ReceiverTransmission {
        ReceiverTransmission(
            session: session,
            frame: .busy(.init(phase: phase, object: object, epoch: epoch, millisecondsLeft: 0)))
    }
}
