/// The receiving end of transfers, without I/O, clock or memory of its own; one for each link.
///
/// `advance` sets the moment of what follows. Then there are four kinds of method: `phase` and
/// `statistics` tell; `receive` takes what the link brought, `timeout` what the clock did, and the
/// functions of the store what it answered; `request` and `abort` are the application's; and
/// `writeNextFrame`, `takeTask`, `nextCompleteBlock` and `nextDeadline` say what the caller has to
/// do next.
///
/// ```swift
/// receiver.advance(to: clock.now)
/// receiver.receive(data: datagram)
/// while let frame = receiver.writeNextFrame(into: &output) {
///     link.send(output.bytes.extracting(first: frame.byteCount))
/// }
/// ```
///
/// Cost: no allocation; a data frame costs a checksum and a copy, an ACK up to 512 look-ups.
public struct Receiver: ~Copyable {
    // What is used most comes first, as far as it is short: there a microcontroller reaches it with
    // the shorter instructions.

    package internal(set) var state = ReceiverState.idle
    /// What the store has to do.
    var tasks: ReceiverTasks = []
    /// Whether the application has yet to be told how the last session ended.
    var isEndingUnreported = false
    /// The object that is received, or the one before it, and the epoch of its ACKs.
    package internal(set) var object = ObjectID.manifest
    var epoch: Epoch
    /// Whether the next ACK answers a poll.
    var answersPoll = false
    /// Whether the sender has ever used all of its credit.
    var hasCreditRunOut = false
    let leavesPaceToSender: Bool
    /// How often the store rejected blocks in a row, the manifest and the image. A session ends
    /// before they are more than the most.
    var rejectionCount: UInt8 = 0
    var manifestFailureCount: UInt8 = 0
    var publishFailureCount: UInt8 = 0
    /// The session before the present one, whose late OPEN must not bring it back.
    var previousSession: SessionNumber?
    /// The name that is requested.
    var requestedName = TransferTag(rawValue: 0)
    /// The present session, or the one before it; of one that is requested the number.
    package internal(set) var session: SenderControl.Open
    var timers = ReceiverTimers()
    let silenceLimit: UInt32
    let resultLimit: UInt32
    /// How many ``answers`` there are to say.
    var answerCount = 0
    var reassembler: Reassembler
    /// What it has counted.
    public internal(set) var statistics = ReceiverStatistics()
    let creditCountMax: UInt32
    /// How many chunks past the first missing one an ACK shows.
    let shownCountMax: UInt32
    /// How much of the object is durable.
    package internal(set) var durableByteCount: UInt32 = 0
    /// The highest cumulative acknowledgement whose 16 bits can be told by the durable part.
    var acknowledgeableEnd: UInt32 = 0
    /// What the last ACK said.
    var advertisedCumulative: UInt32 = 0
    var advertisedEdge: UInt32 = 0
    package internal(set) var ticketNumber: UInt32 = 0
    /// When the present input happens, which is never before the last one.
    private(set) var now = Instant(microseconds: 0)
    /// What is left to say to somebody who is in no session here; a small ring, because echo probes
    /// come a few at a time.
    var answers = InlineArray<8, StatelessAnswer>(repeating: StatelessAnswer(.echoReply, 0))
    /// How the last session ended that did, with the words of RESULT if there were any.
    var result = ReceiverControl.Result(reason: .verified)
    /// What QUERY is answered with; at first that it is not known.
    public private(set) var running = ReceiverControl.Status(state: .unknown, runningTag: 0)

    /// A receiver that listens. Its time begins with the first input, whose moment is not before
    /// the origin.
    public init(options: ReceiverOptions, memory: ReceiverMemory) {
        precondition((1...Credit.chunkCountMax).contains(options.creditCountMax))
        leavesPaceToSender = options.leavesPaceToSender
        creditCountMax = UInt32(options.creditCountMax)
        shownCountMax = UInt32(
            Acknowledgement.chunkCountShown(inFrameOf: options.controlByteCountMax)
        )
        silenceLimit = ReceiverTimers.span(options.silenceLimit)
        resultLimit = ReceiverTimers.span(options.resultLimit)
        // The first object begins the next.
        epoch = Epoch(options.firstEpoch.rawValue &- 1)
        session = .init(
            session: .none,
            chunkSize: .smallest,
            manifestByteCount: SenderControl.Open.manifestByteCounts.lowerBound,
            tag: TransferTag(rawValue: 0)
        )
        reassembler = Reassembler(memory: memory)
    }

    /// The state it is in.
    public var phase: ReceiverPhase {
        switch state {
        case .idle: .idle
        case .requesting: .requesting
        case .lookingUp: .lookingUp
        case .receiving: .receiving(object)
        case .judging: .judging
        case .verifying: .verifying
        case .finished: .finished(result.reason)
        }
    }

    /// Whether chunks of an image arrive: less code than a comparison of phases.
    package var isReceivingImage: Bool { state == .receiving && object == .image }

    /// Sets what QUERY is answered with: the application says so when it changes.
    public mutating func setRunning(_ running: ReceiverControl.Status) {
        self.running = running
    }

    /// The chunk size of the last session; `nil` before the first.
    public var chunkSize: ChunkSize? { ticketNumber == 0 ? nil : session.chunkSize }

    /// How a session ended that ended since the last call, if one did: `verified`, a refusal, what
    /// CLOSE said, or `silent`.
    public mutating func takeEnding() -> Reason? {
        guard isEndingUnreported else { return nil }
        isEndingUnreported = false
        return result.reason
    }

    /// The detail of the RESULT that ended the last session; 0 where none was sent.
    public var endingDetail: UInt64 { state == .finished ? result.detail : 0 }

    /// Moves on to the moment of the inputs that follow, never back.
    @inline(never)  // A device calls it in two places.
    public mutating func advance(to now: Instant) {
        let elapsed = now - self.now
        guard elapsed >= .zero else { return }
        timers.pass(UInt32(clamping: elapsed.rawValue))
        self.now = now
    }

    /// Takes a control datagram.
    ///
    /// - Returns: why it was dropped, or `nil` if it was not.
    @discardableResult
    public mutating func receive(control datagram: RawSpan) -> FrameDecodingError? {
        do throws(FrameDecodingError) {
            handle(try SenderControl(decoding: datagram))
            return nil
        } catch {
            statistics.count(.controlFrameDropped)
            if case .version(opening: let session?) = error {
                //= FRAME-4: A receiver MUST answer an OPEN of another version, of 5 bytes or more,
                //= whose checksum is right for the session in bytes 1 and 2, with RESULT *version*
                //= in a frame of its own version, whose detail holds the lowest and the highest
                //= version it speaks in bytes 0 and 1; its present session does not change.
                answerStray(session, .version)
            }
            return error
        }
    }

    /// Handles a control frame.
    package mutating func handle(_ frame: SenderControl) {
        switch frame {
        case .open(let frame): open(frame)
        case .poll(let frame): poll(frame)
        case .close(let frame): close(frame)
        case .query(let frame): answerQuery(frame.session)
        }
    }

    /// Takes a data datagram.
    ///
    /// - Returns: false if it was dropped, or an echo probe.
    @discardableResult
    public mutating func receive(data datagram: RawSpan) -> Bool {
        let action: DataAction
        if let frame = try? DataFrame(decoding: datagram) {
            action = data(frame, in: datagram)
            if action == .dropped { echo(frame, datagram) }
        } else {
            action = .dropped
        }
        switch action {
        case .placed: statistics.count(.dataFramePlaced)
        case .repeated: statistics.count(.dataFrameRepeated)
        case .dropped: statistics.count(.dataFrameDropped)
        }
        return action != .dropped
    }

    private mutating func echo(_ frame: DataFrame, _ datagram: RawSpan) {
        guard !frame.isPoll,
            DataFrame.isIntact(datagram, chunkIndex: UInt32(frame.token), header: .echo)
        else { return }
        echo(token: frame.token, byteCount: frame.byteCount)
    }

    /// Asks the peer to send an object; does nothing unless idle.
    public mutating func request(_ nameTag: TransferTag, session: SessionNumber) {
        guard state == .idle else { return }
        self.session.session = session
        requestedName = nameTag
        timers[.session] = silenceLimit
        timers[.frame] = 0
        state = .requesting
    }

    /// Ends the session from this side: RESULT is all that is left to send.
    public mutating func abort(_ reason: Reason) {
        switch state {
        case .idle, .finished: break
        case .requesting: end(reason, discarding: false)
        case .lookingUp, .receiving, .judging, .verifying: finish(reason)
        }
    }

    /// Writes the next frame to send.
    ///
    /// - Parameter output: room for ``ReceiverControl/byteCountMax`` bytes.
    /// - Returns: what was written, or `nil` if there is nothing to say before the next input.
    public mutating func writeNextFrame(into output: inout MutableRawSpan) -> WrittenFrame? {
        answerCount > 0
            ? writeStatelessFrame(into: &output) : writeStateFrame(into: &output)
    }

    /// Whether ``writeNextFrame(into:)`` may have something to send: it never has without this.
    public func hasTransmission(at now: Instant) -> Bool {
        var timers = timers
        timers.pass(UInt32(clamping: (now - self.now).rawValue))
        return answerCount > 0 || timers[.frame] == 0 || timers[.busy] == 0
    }

    /// The bytes of a block that a task wants written.
    public func withBytes<R>(ofBlock block: Int, _ body: (RawSpan) -> R) -> R {
        precondition(state == .receiving, "no object is being received")
        return reassembler.withBytes(ofBlock: block, body)
    }

    /// Where the bytes of a block lie that was handed over, for a store that is part of the
    /// receiver's owner: they stay until the block is answered, and after a last one that is
    /// shorter there is room up to the length of the others.
    package func start(ofBlock block: UInt32) -> UnsafeMutableRawPointer {
        reassembler.start(ofBlock: block)
    }

    /// When ``timeout()`` and ``writeNextFrame(into:)`` have to be called at the
    /// latest; `nil` while it only listens.
    public var nextDeadline: Instant? {
        timeLeft.map { now + $0 }
    }

    /// How long after the last input that is; `nil` while it only listens.
    package var timeLeft: Microseconds? {
        let left = timers.least
        return left == ReceiverTimers.off ? nil : Microseconds(Int64(left))
    }
}

/// A receiver owns its memory as long as it lives, so it may move from one thread to another.
extension Receiver: @unchecked Sendable {}
