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
/// A state has what is its own. The session, and the object that is received, are in the context: to
/// move them out and in with every frame would cost a microcontroller more than all the rest.
///
/// This file knows sessions, epochs and chunks. It does not know files, hashes, the clock, or which
/// end is the central.
enum ReceiverState: ~Copyable {
    case idle
    case requesting(Requesting)
    /// The store looks for what is held of the transfer.
    case lookingUp(BusyTimer)
    /// Chunks of ``ReceiverContext/receiving`` arrive.
    case receiving
    /// The manifest is whole; the store judges it.
    case judging(BusyTimer)
    /// The image is whole; the store hashes it and makes it current.
    case verifying(BusyTimer)
    case finished(Finished)

    /// REQUEST is out; neither OPEN nor CLOSE has come.
    struct Requesting: BitwiseCopyable {
        let request: ReceiverControl.Request
        var retry: Backoff
        var isRequestDue = true
    }

    /// RESULT is said, and kept for a sender that has not heard it.
    struct Finished: BitwiseCopyable {
        let result: ReceiverControl.Result
        let expiresAt: Instant
        var isResultDue = true
    }
}

// MARK: - What all inputs share

extension ReceiverState {
    func phase(_ context: borrowing ReceiverContext) -> ReceiverPhase {
        switch self {
        case .idle: .idle
        case .requesting: .requesting
        case .lookingUp: .lookingUp
        case .receiving: .receiving(context.receiving.object)
        case .judging: .judging
        case .verifying: .verifying
        case .finished(let state): .finished(state.result.reason)
        }
    }

    /// Whether a session of this number is the present one, finished or not.
    func isIn(_ session: SessionNumber, _ context: borrowing ReceiverContext) -> Bool {
        switch self {
        case .idle: false
        case .requesting: false
        default: context.session.open.session == session
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
        case .lookingUp(var busy):
            busy.ask(at: now)
            self = .lookingUp(busy)
        case .receiving:
            context.receiving.asked(at: now)
            self = .receiving
        case .judging(var busy):
            busy.ask(at: now)
            self = .judging(busy)
        case .verifying(var busy):
            busy.ask(at: now)
            self = .verifying(busy)
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
        case .finished: break
        default:
            context.dropTasks()
            context.ask(.release(discarding: discarding))
        }
        context.previousSession = context.session.open.session
    }

    /// Ends the session with a RESULT.
    @inline(never)
    mutating func finish(
        _ reason: Reason,
        detail: UInt64 = 0,
        discarding: Bool = false,
        context: inout ReceiverContext,
        at now: Instant
    ) {
        // The number stays that of the present session until another opens.
        let previous = context.previousSession
        leave(discarding: discarding, context: &context)
        context.previousSession = previous
        self = .finished(
            Finished(
                result: .init(reason: reason, detail: detail),
                expiresAt: now + context.options.resultLimit
            )
        )
    }
}
