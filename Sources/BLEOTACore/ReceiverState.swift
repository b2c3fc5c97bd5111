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
/// What a state has of its own is in the context, and only its transitions here set it: cases with
/// payloads cost a microcontroller three times the code.
///
/// This file knows sessions, epochs and chunks. It does not know files, hashes, the clock, or which
/// end is the central.
enum ReceiverState: UInt8 {
    case idle
    /// REQUEST is out; neither OPEN nor CLOSE has come. Has ``ReceiverContext/timer``.
    case requesting
    /// The store looks for what is held of the transfer. Has ``ReceiverContext/timer``.
    case lookingUp
    /// Chunks arrive. Has ``ReceiverContext/receiving``.
    case receiving
    /// The manifest is whole; the store judges it. Has ``ReceiverContext/timer``.
    case judging
    /// The image is whole; the store hashes it and makes it current. Has ``ReceiverContext/timer``.
    case verifying
    /// RESULT is said, and kept for a sender that has not heard it. Has
    /// ``ReceiverContext/result`` and ``ReceiverContext/timer``.
    case finished
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
        case .finished: .finished(context.result.reason)
        }
    }

    /// Whether a session of this number is the present one, finished or not.
    func isIn(_ session: SessionNumber, _ context: borrowing ReceiverContext) -> Bool {
        self != .idle && self != .requesting && context.session.open.session == session
    }

    //= END-2: A receiver MUST repeat its RESULT when POLL or OPEN of that session arrives, until
    //= CLOSE arrives, another session opens or 10 seconds have passed.
    /// The sender wants to know where things stand.
    //= OPEN-3: A receiver MUST answer OPEN with its account: ACK with what it has of the transfer,
    //= BUSY while it looks, or RESULT.
    @inline(never)  // OPEN and POLL have it in common.
    mutating func answerAgain(context: inout ReceiverContext) {
        context.lastHeard = context.now
        switch self {
        case .idle, .requesting: break
        case .lookingUp, .judging, .verifying: context.timer.ask(at: context.now)
        case .receiving: context.receiving.asked(at: context.now)
        case .finished: context.isFrameDue = true
        }
    }

    //= END-6: A receiver MUST keep what is durable when a session ends for any reason but a
    //= refusal, or *withdrawn* in CLOSE.
    /// Lets go of the store, if the session has it. The caller sets the next state.
    @inline(never)
    func leave(discarding: Bool, context: inout ReceiverContext) {
        switch self {
        case .idle, .requesting: return
        case .finished: break
        case .lookingUp, .receiving, .judging, .verifying:
            context.askForRelease(discarding: discarding)
        }
        context.previousSession = context.session.open.session
    }

    /// Ends the session, which has the store, with a RESULT. Its number stays that of the present
    /// session until another opens.
    @inline(never)
    mutating func finish(
        _ reason: Reason,
        discarding: Bool = false,
        detail: UInt64 = 0,
        context: inout ReceiverContext
    ) {
        context.askForRelease(discarding: discarding)
        context.result = .init(reason: reason, detail: detail)
        context.timer = ReceiverTimer(until: context.now + context.resultLimit)
        context.isFrameDue = true
        context.ending = reason
        self = .finished
    }
}
