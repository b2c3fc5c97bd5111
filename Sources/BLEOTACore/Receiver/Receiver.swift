/// The receiving end of transfers over one link, without I/O, a clock or memory of its own.
///
/// `advance` sets the time of the calls that follow. The rest of the interface has four parts.
/// `phase` and `statistics` report the state. `receive` handles frames from the link, `timeout`
/// handles the passing of time, and the functions of the store handle its answers. `request`
/// and `abort` are for the application. `writeNextFrame`, `takeTask`, `nextCompleteBlock` and
/// `nextDeadline` return the caller's next steps.
///
/// ```swift
/// receiver.advance(to: clock.now)
/// receiver.receive(data: datagram)
/// while let frame = receiver.writeNextFrame(into: &output) {
///     link.send(output.bytes.extracting(first: frame.byteCount))
/// }
/// ```
///
/// Cost: no allocation. A data frame costs a checksum and a copy, and an ACK up to 512 lookups.
public struct Receiver: ~Copyable {
    // Short properties that are used often come first, where a microcontroller reaches them
    // with shorter instructions.

    package internal(set) var state = ReceiverState.idle
    /// The pending tasks of the store.
    var tasks: ReceiverTasks = []
    /// Whether the end of the most recent session has yet to be reported to the application.
    var isEndingUnreported = false
    /// The current or most recent object, and the epoch of its ACKs.
    package internal(set) var object = ObjectID.manifest
    var epoch: Epoch
    /// Whether the next ACK answers a poll.
    var answersPoll = false
    /// Whether the sender has used all of its credit at any time since the object began.
    var hasCreditRunOut = false
    let leavesPaceToSender: Bool
    /// The numbers of consecutive rejections by the store, for blocks, the manifest and the
    /// image. Their limits end a session before the counters overflow.
    var rejectionCount: UInt8 = 0
    var manifestFailureCount: UInt8 = 0
    var publishFailureCount: UInt8 = 0
    /// The session before the current one. A late OPEN must not reopen it.
    var previousSession: SessionNumber?
    /// The tag of the requested name.
    var requestedName = TransferTag(rawValue: 0)
    /// The current or most recent session. While a session is requested, only the number is valid.
    package internal(set) var session: SenderControl.Open
    var timers = ReceiverTimers()
    let silenceLimit: UInt32
    let resultLimit: UInt32
    /// The number of pending ``answers``.
    var answerCount = 0
    var reassembler: Reassembler
    /// The counters of this receiver.
    public internal(set) var statistics = ReceiverStatistics()
    let creditCountMax: UInt32
    /// The number of chunks past the first missing one that an ACK can show.
    let shownCountMax: UInt32
    /// The durable part of the object, in bytes.
    package internal(set) var durableByteCount: UInt32 = 0
    /// The highest cumulative acknowledgement that a sender can reconstruct from its low 16
    /// bits and the durable byte count.
    var acknowledgeableEnd: UInt32 = 0
    /// The cumulative acknowledgement and the edge in the last ACK.
    var advertisedCumulative: UInt32 = 0
    var advertisedEdge: UInt32 = 0
    package internal(set) var ticketNumber: UInt32 = 0
    /// The time of the current input. It is never before that of the previous input.
    private(set) var now = Instant(microseconds: 0)
    /// Pending answers that do not depend on the current session. There is room for several,
    /// because echo probes arrive a few at a time.
    var answers = InlineArray<8, StatelessAnswer>(repeating: StatelessAnswer(.echoReply, 0))
    /// How the most recent session ended, with the detail of RESULT if one was sent.
    var result = ReceiverControl.Result(reason: .verified)
    /// The answer to QUERY. Initially the running image is unknown.
    public private(set) var running = ReceiverControl.Status(state: .unknown, runningTag: 0)

    /// Creates a receiver that listens. The time of its first input must not be before the
    /// clock's origin.
    ///
    /// - Parameters:
    ///   - options: the settings of the receiver.
    ///   - memory: the memory for blocks and for the bitmap of arrived chunks. The receiver has
    ///     exclusive access to it.
    public init(options: ReceiverOptions, memory: ReceiverMemory) {
        precondition((1...Credit.chunkCountMax).contains(options.creditCountMax))
        leavesPaceToSender = options.leavesPaceToSender
        creditCountMax = UInt32(options.creditCountMax)
        shownCountMax = UInt32(
            Acknowledgement.chunkCountShown(inFrameOf: options.controlByteCountMax)
        )
        silenceLimit = ReceiverTimers.span(options.silenceLimit)
        resultLimit = ReceiverTimers.span(options.resultLimit)
        // The first object begins the epoch after this one.
        epoch = Epoch(options.firstEpoch.rawValue &- 1)
        session = .init(
            session: .none,
            chunkSize: .smallest,
            manifestByteCount: SenderControl.Open.manifestByteCounts.lowerBound,
            tag: TransferTag(rawValue: 0)
        )
        reassembler = Reassembler(memory: memory)
    }

    /// The current state of the receiver.
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

    /// Whether chunks of an image are arriving. This takes less code than comparing phases.
    package var isReceivingImage: Bool { state == .receiving && object == .image }

    /// Sets the answer to QUERY. The application calls this function whenever the answer
    /// changes.
    public mutating func setRunning(_ running: ReceiverControl.Status) {
        self.running = running
    }

    /// The chunk size of the most recent session, or `nil` before the first.
    public var chunkSize: ChunkSize? { ticketNumber == 0 ? nil : session.chunkSize }

    /// If a session has ended since the last call, returns the reason; otherwise returns `nil`. The
    /// reason is `verified`, a refusal, `silent`, the reason in CLOSE, or the argument of
    /// ``abort(_:)``.
    public mutating func takeEnding() -> Reason? {
        guard isEndingUnreported else { return nil }
        isEndingUnreported = false
        return result.reason
    }

    /// The detail of the RESULT that ended the session, or 0 unless the receiver is in the
    /// finished state.
    public var endingDetail: UInt64 { state == .finished ? result.detail : 0 }

    /// Advances to the time of the following inputs. An earlier time has no effect.
    @inline(never)  // Two callers on a device.
    public mutating func advance(to now: Instant) {
        let elapsed = now - self.now
        guard elapsed >= .zero else { return }
        timers.pass(UInt32(clamping: elapsed.rawValue))
        self.now = now
    }

    /// Handles a control datagram.
    ///
    /// - Returns: the reason the datagram was dropped, or `nil` if it was handled.
    @discardableResult
    public mutating func receive(control datagram: RawSpan) -> FrameDecodingError? {
        do throws(FrameDecodingError) {
            handle(try SenderControl(decodingExceptChallenge: datagram))
            return nil
        } catch {
            statistics.count(.controlFrameDropped)
            if case .version(opening: let session?) = error {
                //= FRAME-4: If an OPEN of another version is at least 5 bytes long, and its
                //= checksum is valid for the session in its bytes 1 and 2, a receiver MUST answer
                //= with RESULT *version*.
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
        // The receiver's owner answers CHALLENGE, because the owner has the device's key.
        case .challenge: break
        }
    }

    /// Handles a data datagram.
    ///
    /// - Returns: false if the datagram was dropped or was an echo probe.
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

    /// Asks the peer to send an image. The call has no effect unless the receiver is idle.
    public mutating func request(_ nameTag: TransferTag, session: SessionNumber) {
        guard state == .idle else { return }
        self.session.session = session
        requestedName = nameTag
        timers[.session] = silenceLimit
        timers[.frame] = 0
        state = .requesting
    }

    /// Ends the session from this side. RESULT is the only frame left to send.
    public mutating func abort(_ reason: Reason) {
        switch state {
        case .idle, .finished: break
        case .requesting: end(reason, discarding: false)
        case .lookingUp, .receiving, .judging, .verifying: finish(reason)
        }
    }

    /// Writes the next frame to send.
    ///
    /// - Parameter output: a buffer with room for ``/BLEOTAWire/ReceiverControl/byteCountMax``
    ///   bytes.
    /// - Returns: a description of the frame, or `nil` if there is none before the next input.
    public mutating func writeNextFrame(into output: inout MutableRawSpan) -> WrittenFrame? {
        answerCount > 0
            ? writeStatelessFrame(into: &output) : writeStateFrame(into: &output)
    }

    /// Whether ``writeNextFrame(into:)`` may have a frame to send. If this is false, that
    /// function returns `nil`.
    public func hasTransmission(at now: Instant) -> Bool {
        var timers = timers
        timers.pass(UInt32(clamping: (now - self.now).rawValue))
        return answerCount > 0 || timers[.frame] == 0 || timers[.busy] == 0
    }

    /// Calls `body` with the bytes of a block that was handed over.
    public func withBytes<R>(ofBlock block: Int, _ body: (RawSpan) -> R) -> R {
        precondition(state == .receiving, "no object is being received")
        return reassembler.withBytes(ofBlock: block, body)
    }

    /// Returns the address of a block that was handed over, for a store that has the same owner
    /// as the receiver. The bytes stay valid until the store answers for the block. After a
    /// short last block, there is room up to the length of the other blocks.
    package func start(ofBlock block: UInt32) -> UnsafeMutableRawPointer {
        reassembler.start(ofBlock: block)
    }

    /// The time by which ``timeout()`` and ``writeNextFrame(into:)`` must be called, or `nil`
    /// while the receiver only listens.
    public var nextDeadline: Instant? {
        timeLeft.map { now + $0 }
    }

    /// The time from the last input to the next deadline, or `nil` while the receiver only
    /// listens.
    package var timeLeft: Microseconds? {
        let left = timers.least
        return left == ReceiverTimers.off ? nil : Microseconds(Int64(left))
    }
}

/// A receiver owns its memory for its whole lifetime, so it can be moved between threads.
extension Receiver: @unchecked Sendable {}
