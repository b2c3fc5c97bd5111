/// The receiving half of a session.
///
///     idle ──request──▶ requesting ──OPEN──▶ lookingUp ──plan──▶ receiving(manifest)
///       └──────────────OPEN────────────────────▲ │ │                   │ whole
///                                              │ │ └──plan──┐          ▼
///                                  look again  │ │ current  │       judging
///                                              │ ▼          ▼          │ accepted
///       idle ◀──CLOSE, time── finished ◀──── verifying ◀── receiving(image)
///
/// From every state but idle an OPEN of another session leads to lookingUp, CLOSE and silence to
/// idle, and a refusal or failure to finished. The table in spec/bleota.md, section 9.2, is this
/// file in words, and a test compares the two.
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

// MARK: - What all inputs share

extension ReceiverState {
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

    /// The session it is in; `nil` while idle or requesting.
    var session: SessionNumber? {
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

    var requestedSession: SessionNumber? {
        switch self {
        case .requesting(let state): state.request.session
        default: nil
        }
    }

    //= END-2: A receiver MUST repeat its RESULT when POLL or OPEN of that session arrives, until
    //= CLOSE arrives, another session opens or 10 seconds have passed.
    /// The sender wants to know where things stand.
    //= OPEN-3: A receiver MUST answer OPEN with its account: ACK with what it has of the transfer,
    //= BUSY while it looks, or RESULT.
    mutating func answerAgain(context: inout ReceiverContext, at now: Instant) {
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

    //= END-6: A receiver MUST keep what is durable when a session ends for any reason but a
    //= refusal, or *withdrawn* in CLOSE.
    /// Lets go of the store, if the session has it. The caller sets the next state.
    func leave(discarding: Bool, context: inout ReceiverContext) {
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

    /// Ends the session with a RESULT.
    mutating func finish(
        _ result: ReceiverControl.Result,
        discarding: Bool,
        context: inout ReceiverContext,
        at now: Instant
    ) {
        guard let session else { preconditionFailure("only a session can be finished") }
        // The number stays that of the present session until another opens.
        let previous = context.previousSession
        leave(discarding: discarding, context: &context)
        context.previousSession = previous
        self = .finished(
            Finished(
                session: session,
                result: result,
                expiresAt: now + context.options.resultLimit
            )
        )
    }
}
