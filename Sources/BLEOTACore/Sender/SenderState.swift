/// The sending half of a session.
///
///     opening ──ACK──▶ streaming ──all acknowledged──▶ awaitingResult ──RESULT──▶ ended
///        ▲  ▲             │  ▲                              │
///        │  └──RESULT no──┤  └────ACK of a newer epoch──────┘
///        │     session    │ data without effect
///        └─────────discoveringSize
///
/// From every state RESULT, silence, lack of progress and the application lead to ended. The table
/// in spec/bleota.md, section 9.1, is this file in words, and a test compares the two.
///
/// This file knows epochs, chunks and timers. It does not know the image, the bytes on the wire,
/// the clock, or which end is the central.
enum SenderState: ~Copyable {
    case opening(Opening)
    case streaming(Streaming)
    case awaitingResult(AwaitingResult)
    case discoveringSize(SizeDiscovery)
    case ended(Ended)

    /// OPEN is out; no ACK has arrived.
    struct Opening {
        var open: Backoff

        /// Before a sample: four connection intervals of 30 ms, in which OPEN is answered on most
        /// links. Where it takes longer, a second OPEN changes nothing ([OPEN-4]); the loss of the
        /// first would be felt before every transfer.
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

    /// Every chunk of an object is acknowledged; the receiver judges or verifies it.
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

    /// How the session ended; `nil` before.
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

    /// The session is over; only CLOSE may be left to say.
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
    //= OPEN-1: A sender MUST begin a session with OPEN, and send no data frame before the first ACK
    //= of that session.
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

    /// How an ACK stands to what is known; `nil` where none is of use.
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

    //= ACK-9: A sender MUST adopt the account of a newer epoch whole, and treat every chunk that it
    //= does not show as never sent.
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

    /// An ACK of an older epoch says nothing but that the peer is there.
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
        // OPEN and POLL stay due: a receiver that is busy for long has to hear from us, or it takes
        // us for gone.
        default: context.receiverIsBusy()
        }
    }

    //= END-3: A sender MUST answer RESULT with CLOSE: reason 0x0000, its own reason if it has given
    //= up, or *image mismatch* if the receipt is not that of its image; except *no session*, after
    //= which it opens again.
    mutating func result(
        _ result: ReceiverControl.Result,
        context: inout SenderContext
    ) {
        context.heard()
        switch consume self {
        case .ended(let ended): self = .ended(Ended(ended.outcome))
        case .opening(let opening) where result.reason == .noSession:
            // Only a POLL is answered so, and none was sent in this session.
            self = .opening(opening)
        default:
            self =
                result.reason == .noSession
                ? .reopening(chunkSize: context.chunkSize, context: &context)
                : .ended(Ended(context.outcome(of: result)))
        }
    }

    //= OPEN-7: A sender that gets RESULT *no session*, except while it waits for the answer to
    //= OPEN, MUST open again with a new session number.
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
        //= ECHO-3: An answer that comes later, in whatever session, MUST count in its next probing
        //= as if it had come in that.
        guard let byteCount = context.record(reply), isDiscoveringSize,
            byteCount >= context.chunkSize.frameByteCount
        else { return }
        self = .reopening(chunkSize: context.chunkSize, context: &context)
    }

    //= END-5: An end that gives up MUST say so, a sender with CLOSE and a receiver with RESULT, and
    //= a reason; a receiver that heard nothing need not.
    /// The application gives up, or can't read the image any more; or this side has to end it.
    mutating func abort(_ reason: Reason) {
        if outcome != nil { return }
        self = .ended(Ended(.aborted(reason)))
    }
}
