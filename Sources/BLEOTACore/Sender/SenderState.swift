/// The sending half of a session.
///
///     opening ──ACK──▶ streaming ──all acknowledged──▶ awaitingResult ──RESULT──▶ ended
///        ▲  ▲             │  ▲                              │
///        │  └──RESULT no──┤  └────ACK of a newer epoch──────┘
///        │     session    │ data without effect
///        └─────────discoveringSize
///
/// From every state, any other RESULT, silence, lack of progress or an abort by the application
/// leads to ended. The tables in spec/bleota.md, section 9.1, describe the same transitions, and a
/// test compares them with this file.
///
/// This file deals with epochs, chunks and timers. It does not depend on the image, the bytes
/// on the wire, the clock, or which end is the central.
enum SenderState: ~Copyable {
    case opening(Opening)
    case streaming(Streaming)
    case awaitingResult(AwaitingResult)
    case discoveringSize(SizeDiscovery)
    case ended(Ended)

    /// OPEN has been sent, and no ACK has arrived yet.
    struct Opening {
        var open: Backoff

        /// The pause before a second OPEN when there is no round-trip sample: four connection
        /// intervals of 30 ms, within which OPEN is answered on most links. On slower links, a
        /// second OPEN changes nothing ([OPEN-4]). With a longer pause, the loss of the first
        /// OPEN would noticeably delay a transfer.
        private static var firstPause: Microseconds { .milliseconds(120) }

        init(context: borrowing SenderContext) {
            let isMeasured = context.roundTrip.shortest != nil
            open = Backoff(
                from: context.now,
                first: isMeasured ? context.probeTimeout : Self.firstPause,
                max: .seconds(2),
                isPending: true
            )
        }
    }

    /// All chunks of an object are acknowledged, and the receiver is judging or verifying it.
    struct AwaitingResult {
        let object: ObjectID
        let epoch: Epoch
        let packetizer: Packetizer
        var poll: Backoff

        init(
            after streaming: consuming Streaming,
            context: borrowing SenderContext
        ) {
            object = streaming.object
            epoch = streaming.epoch
            packetizer = streaming.packetizer
            poll = Backoff(from: context.now, first: context.probeTimeout, max: .seconds(5))
        }
    }

    /// How the session ended, or `nil` before its end.
    var outcome: SenderOutcome? {
        switch self {
        case .ended(let ended): ended.outcome
        default: nil
        }
    }

    private var isDiscoveringSize: Bool {
        switch self {
        case .discoveringSize: true
        default: false
        }
    }

    /// The session is over. Only CLOSE may be left to send.
    struct Ended {
        let outcome: SenderOutcome
        private var isCloseDue = true

        init(_ outcome: SenderOutcome) { self.outcome = outcome }

        mutating func takeClose(in session: SessionNumber) -> SenderTransmission? {
            guard isCloseDue else { return nil }
            isCloseDue = false
            return .control(.close(.init(session: session, reason: outcome.closeReason)))
        }
    }
}

// MARK: - ACK

extension SenderState {
    //= OPEN-1: A sender MUST begin a session with OPEN. It MUST NOT send a data frame before the
    //= first ACK of that session.
    mutating func acknowledged(
        by acknowledgement: Acknowledgement,
        context: inout SenderContext
    ) {
        context.heard()
        switch relation(of: acknowledgement) {
        case .newer:
            context.openAnswered()
            adopt(acknowledgement, context: &context)
        case .present: advance(by: acknowledgement, context: &context)
        case .older: contradict(by: acknowledgement)
        case nil: break
        }
    }

    /// Returns the relation of an ACK to the current epoch, or `nil` in a state that ignores
    /// ACKs.
    private func relation(of acknowledgement: Acknowledgement) -> Epoch.Relation? {
        switch self {
        case .opening: .newer
        case .streaming(let streaming):
            acknowledgement.relation(to: streaming.object, streaming.epoch)
        case .awaitingResult(let awaiting):
            acknowledgement.relation(to: awaiting.object, awaiting.epoch)
        case .discoveringSize: nil
        case .ended: nil
        }
    }

    //= ACK-9: If an ACK is of a newer epoch, a sender MUST adopt its account completely, and treat
    //= as never sent every chunk that the account does not show.
    private mutating func adopt(
        _ acknowledgement: Acknowledgement,
        context: inout SenderContext
    ) {
        if let streaming = Streaming(adopting: acknowledgement, context: &context) {
            self = .after(streaming, context: context)
        } else {
            abort(.malformedAccount)
        }
    }

    private mutating func advance(
        by acknowledgement: Acknowledgement,
        context: inout SenderContext
    ) {
        switch consume self {
        case .streaming(var streaming):
            let isPossible = streaming.handle(acknowledgement, context: &context)
            self = .after(streaming, context: context)
            if !isPossible { abort(.malformedAccount) }
        case .awaitingResult(let awaiting):
            let cumulative = awaiting.packetizer.cumulative(of: acknowledgement)
            self = .awaitingResult(awaiting)
            guard let cumulative else { return abort(.malformedAccount) }
            context.record(acknowledgement, cumulative: cumulative)
        case let other: self = other
        }
    }

    private static func after(
        _ streaming: consuming Streaming,
        context: borrowing SenderContext
    ) -> SenderState {
        streaming.isComplete
            ? .awaitingResult(AwaitingResult(after: streaming, context: context))
            : .streaming(streaming)
    }

    /// Handles an ACK of an older epoch, which shows only that the peer is present.
    private mutating func contradict(by acknowledgement: Acknowledgement) {
        switch consume self {
        case .streaming(var streaming):
            streaming.contradicted(by: acknowledgement)
            self = .streaming(streaming)
        case let other: self = other
        }
    }
}

// MARK: - Other frames, and the application

extension SenderState {
    mutating func busy(context: inout SenderContext) {
        context.heard()
        switch self {
        case .discoveringSize: break
        case .ended: break
        // OPEN and POLL stay due. Otherwise the session would end as silent if the receiver were
        // busy for a long time.
        default: context.receiverIsBusy()
        }
    }

    //= END-3: A sender MUST answer RESULT with CLOSE.
    mutating func result(
        _ result: ReceiverControl.Result,
        context: inout SenderContext
    ) {
        context.heard()
        switch consume self {
        case .ended(let ended): self = .ended(Ended(ended.outcome))
        case .opening(let opening) where result.reason == .noSession:
            // Ignore a late RESULT: only POLL causes RESULT *no session*, and this session has not
            // sent a POLL yet.
            self = .opening(opening)
        default:
            self =
                result.reason == .noSession
                ? .reopening(chunkSize: context.chunkSize, context: &context)
                : .ended(Ended(context.outcome(of: result)))
        }
    }

    //= OPEN-7: If a sender gets RESULT *no session*, it MUST open again with a new session number.
    static func reopening(
        chunkSize: ChunkSize,
        context: inout SenderContext
    ) -> SenderState {
        context.reopen(chunkSize: chunkSize)
        return .opening(Opening(context: context))
    }

    mutating func echoReply(
        _ reply: ReceiverControl.EchoReply,
        context: inout SenderContext
    ) {
        context.heard()
        //= ECHO-4: If an answer comes after its round, in whatever session, a sender MUST count it
        //= in its next probing.
        guard let byteCount = context.record(reply), isDiscoveringSize,
            byteCount >= context.chunkSize.frameByteCount
        else { return }
        self = .reopening(chunkSize: context.chunkSize, context: &context)
    }

    //= END-5: An end that gives up MUST say so and give a reason: a sender with CLOSE, a receiver
    //= with RESULT.
    /// Ends the session because the application gives up, the image can't be read, or a limit
    /// is reached.
    mutating func abort(_ reason: Reason) {
        if outcome != nil { return }
        self = .ended(Ended(.aborted(reason)))
    }
}
