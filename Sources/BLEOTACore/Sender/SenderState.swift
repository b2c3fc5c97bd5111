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
        var retry: Backoff
        var isOpenDue = true
        /// When OPEN went out, if that was once only and the receiver was not busy: only then the
        /// time until the ACK is a round trip of the link.
        private(set) var sentAt: Instant?
        private var isTimeless = false

        mutating func sent(at now: Instant) {
            sentAt = isTimeless ? nil : now
            isTimeless = true
        }

        /// The receiver looks up what it has, or waits for its store, which may take seconds.
        mutating func isWorkedOn() {
            sentAt = nil
            isTimeless = true
        }

        /// Before a sample: four connection intervals of 30 ms, in which OPEN is answered on most
        /// links. Where it takes longer, a second OPEN changes nothing ([OPEN-4]); the loss of the
        /// first would be felt before every transfer.
        private static var firstPause: Microseconds { .milliseconds(120) }

        init(at now: Instant, context: borrowing SenderContext) {
            retry = Backoff(
                from: now,
                first: context.roundTrip.shortest == nil ? Self.firstPause : context.probeTimeout,
                max: .seconds(2)
            )
        }
    }

    /// Every chunk of an object is acknowledged; the receiver judges or verifies it.
    struct AwaitingResult {
        let object: ObjectID
        let epoch: Epoch
        var poll: Backoff
        var isPollDue = false
        private let packetizer: Packetizer

        init(
            after streaming: consuming Streaming,
            at now: Instant,
            context: borrowing SenderContext
        ) {
            object = streaming.object
            epoch = streaming.epoch
            poll = Backoff(from: now, first: context.probeTimeout, max: .seconds(5))
            packetizer = Packetizer(
                objectByteCount: context.transfer.byteCount(of: object),
                chunkSize: context.chunkSize
            )
        }

        /// The cumulative acknowledgement of an ACK of this epoch; `nil` if that can't be true.
        func cumulative(of acknowledgement: Acknowledgement) -> UInt32? {
            packetizer.cumulative(of: acknowledgement)
        }
    }

    /// The session is over; only CLOSE may be left to say.
    struct Ended {
        let outcome: SenderOutcome
        var isCloseDue = true
    }
}

extension SenderState {
    /// What an ACK led to.
    enum AcknowledgementAction: Hashable {
        /// It was late, or there is no session.
        case ignored
        /// It opened an epoch, and replaces what was known.
        case adopted
        /// It belongs to the present epoch.
        case advanced
        /// It can't be true.
        case malformed
    }

    //= OPEN-1: A sender MUST begin a session with OPEN, and send no data frame before the first ACK
    //= of that session.
    mutating func acknowledgement(
        _ acknowledgement: Acknowledgement,
        context: inout SenderContext,
        at now: Instant
    ) -> AcknowledgementAction {
        context.heard()
        switch consume self {
        case .opening(let opening):
            if let sentAt = opening.sentAt { context.baseRoundTrip.opened(after: now - sentAt) }
            self = .adopting(acknowledgement, context: &context, at: now)
            return actionOfAdoption
        case .streaming(var streaming):
            switch streaming.relation(to: acknowledgement) {
            case .newer:
                self = .adopting(acknowledgement, context: &context, at: now)
                return actionOfAdoption
            case .older:
                streaming.contradicted(by: acknowledgement)
                self = .streaming(streaming)
                return .ignored
            case .present:
                guard streaming.handle(acknowledgement, context: &context, at: now) else {
                    self = .abort(.malformedAccount)
                    return .malformed
                }
                self =
                    streaming.isComplete
                    ? .awaitingResult(AwaitingResult(after: streaming, at: now, context: context))
                    : .streaming(streaming)
                return .advanced
            }
        case .awaitingResult(let awaiting):
            switch Epoch.relation(
                of: acknowledgement,
                toObject: awaiting.object,
                epoch: awaiting.epoch
            )
            {
            case .newer:
                self = .adopting(acknowledgement, context: &context, at: now)
                return actionOfAdoption
            case .older:
                self = .awaitingResult(awaiting)
                return .ignored
            case .present:
                guard let cumulative = awaiting.cumulative(of: acknowledgement) else {
                    self = .abort(.malformedAccount)
                    return .malformed
                }
                context.record(acknowledgement, cumulative: cumulative, at: now)
                self = .awaitingResult(awaiting)
                return .advanced
            }
        case .discoveringSize(let discovery):
            self = .discoveringSize(discovery)
            return .ignored
        case .ended(let ended):
            self = .ended(ended)
            return .ignored
        }
    }

    /// The state after the first ACK of an epoch.
    //= ACK-9: A sender MUST adopt the account of a newer epoch whole, and treat every chunk that it
    //= does not show as never sent.
    private static func adopting(
        _ acknowledgement: Acknowledgement,
        context: inout SenderContext,
        at now: Instant
    ) -> SenderState {
        guard let streaming = Streaming(adopting: acknowledgement, context: &context, at: now)
        else {
            return .abort(.malformedAccount)
        }
        return streaming.isComplete
            ? .awaitingResult(AwaitingResult(after: streaming, at: now, context: context))
            : .streaming(streaming)
    }

    private var actionOfAdoption: AcknowledgementAction {
        switch self {
        case .ended: .malformed
        default: .adopted
        }
    }

    static func abort(_ reason: Reason) -> SenderState {
        .ended(Ended(outcome: .aborted(reason)))
    }
}

extension SenderState {
    /// What BUSY led to.
    enum BusyAction: Hashable {
        case ignored
        /// The receiver needs time, and gets it.
        case waiting
    }

    mutating func busy(
        _ busy: ReceiverControl.Busy,
        context: inout SenderContext,
        at now: Instant
    ) -> BusyAction {
        context.heard()
        switch consume self {
        // OPEN and POLL stay due: a receiver that is busy for long has to hear from us, or it takes
        // us for gone.
        case .opening(var opening):
            context.progress.isBusyNow()
            opening.isWorkedOn()
            self = .opening(opening)
            return .waiting
        case .streaming(let streaming):
            context.progress.isBusyNow()
            self = .streaming(streaming)
            return .waiting
        case .awaitingResult(let awaiting):
            context.progress.isBusyNow()
            self = .awaitingResult(awaiting)
            return .waiting
        case .discoveringSize(let discovery):
            self = .discoveringSize(discovery)
            return .ignored
        case .ended(let ended):
            self = .ended(ended)
            return .ignored
        }
    }

    /// What RESULT led to.
    enum ResultAction: Hashable {
        case ignored
        /// The session is over.
        case ended(SenderOutcome)
        /// The receiver has forgotten the session.
        case reopened
        /// The receiver has not heard CLOSE.
        case closedAgain
    }

    //= END-3: A sender MUST answer RESULT with CLOSE: reason 0x0000, its own reason if it has given
    //= up, or *image mismatch* if the receipt is not that of its image; except *no session*, after
    //= which it opens again.
    mutating func result(
        _ result: ReceiverControl.Result,
        context: inout SenderContext,
        at now: Instant
    ) -> ResultAction {
        context.heard()
        switch consume self {
        case .ended(var ended):
            ended.isCloseDue = true
            self = .ended(ended)
            return .closedAgain
        case .opening(let opening) where result.reason == .noSession:
            // Only a POLL is answered so, and none was sent in this session.
            self = .opening(opening)
            return .ignored
        default:
            guard result.reason != .noSession else {
                self = .reopening(chunkSize: context.chunkSize, context: &context, at: now)
                return .reopened
            }
            let outcome = context.outcome(of: result)
            self = .ended(Ended(outcome: outcome))
            return .ended(outcome)
        }
    }

    //= OPEN-7: A sender that gets RESULT *no session*, except while it waits for the answer to
    //= OPEN, MUST open again with a new session number.
    static func reopening(
        chunkSize: ChunkSize,
        context: inout SenderContext,
        at now: Instant
    ) -> SenderState {
        context.session = context.session.next
        context.chunkSize = chunkSize
        context.statistics.reopenings += 1
        return .opening(Opening(at: now, context: context))
    }

    /// What ECHO REPLY led to.
    enum EchoAction: Hashable {
        case ignored
        case noted
        /// The size is settled, and the session opened anew with it.
        case reopened
    }

    mutating func echoReply(
        _ reply: ReceiverControl.EchoReply,
        context: inout SenderContext,
        at now: Instant
    ) -> EchoAction {
        context.heard()
        //= ECHO-3: An answer that comes later, in whatever session, MUST count in its next probing
        //= as if it had come in that.
        if let byteCount = SizeDiscovery.byteCount(in: reply, max: context.frameByteCountMax) {
            context.largestEchoByteCount = max(context.largestEchoByteCount ?? 0, byteCount)
            if byteCount >= context.chunkSize.frameByteCount { context.isChunkSizeProven = true }
        }
        switch consume self {
        case .discoveringSize(var discovery):
            if let chunkSize = discovery.record(reply) {
                context.isChunkSizeProven = true
                self = .reopening(chunkSize: chunkSize, context: &context, at: now)
                return .reopened
            }
            self = .discoveringSize(discovery)
            return .noted
        case .opening(let opening):
            self = .opening(opening)
            return .ignored
        case .streaming(let streaming):
            self = .streaming(streaming)
            return .ignored
        case .awaitingResult(let awaiting):
            self = .awaitingResult(awaiting)
            return .ignored
        case .ended(let ended):
            self = .ended(ended)
            return .ignored
        }
    }
}
