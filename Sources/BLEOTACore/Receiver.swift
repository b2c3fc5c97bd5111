/// The receiving end of transfers, without I/O, clock or memory of its own; one for each link.
///
/// There are four kinds of method: `phase` and `statistics` tell; `receive` takes what the link
/// brought, `handleTimeout` what the clock did and `handle` what the store answered; `request` and
/// `giveUp` are the application's; and `writeNextFrame`, `nextTask` and `nextDeadline` say what
/// the caller has to do next. After each input, call the first two until they return `nil`.
///
/// ```swift
/// while let task = receiver.nextTask() { store.begin(task, receiver.ticket) }
/// while let frame = receiver.writeNextFrame(at: clock.now, into: &output) {
///     link.send(output.bytes.extracting(first: frame.byteCount))
/// }
/// ```
///
/// Cost: no allocation; a data frame costs a checksum and a copy, an ACK up to 512 look-ups.
public struct Receiver: ~Copyable {
    var state = ReceiverState.idle
    var context: ReceiverContext

    /// A receiver that listens.
    public init(options: ReceiverOptions, memory: ReceiverMemory) {
        precondition((1...Credit.chunkCountMax).contains(options.creditCountMax))
        context = ReceiverContext(options: options, memory: memory)
    }

    /// The state it is in.
    public var phase: ReceiverPhase { state.phase(context) }

    /// What QUERY is answered with; at first that it is not known.
    public var running: ReceiverControl.Status { context.running }

    /// Sets what QUERY is answered with: the application says so when it changes.
    public mutating func setRunning(_ running: ReceiverControl.Status) {
        context.running = running
    }

    /// What it has counted.
    public var statistics: ReceiverStatistics { context.statistics }

    /// The chunk size of the last session; `nil` before the first.
    public var chunkSize: ChunkSize? { context.chunkSize }

    /// Ties the tasks of the present session to their answers.
    public var ticket: StorageTicket { context.ticket }

    /// How a session ended that ended since the last call, if one did: `verified`, a refusal, what
    /// CLOSE said, or `silent`.
    public mutating func takeEnding() -> Reason? {
        context.ending.take()
    }

    /// Takes a control datagram.
    ///
    /// - Returns: why it was dropped, or `nil` if it was not.
    @discardableResult
    public mutating func receive(
        control datagram: RawSpan,
        at now: Instant
    ) -> FrameDecodingError? {
        context.now.advance(to: now)
        do throws(FrameDecodingError) {
            take(try SenderControl(decoding: datagram))
            return nil
        } catch {
            context.statistics.count(.controlFrameDropped)
            if case .version(opening: let session?) = error {
                //= FRAME-4: A receiver MUST answer an OPEN of another version, of 5 bytes or more,
                //= whose checksum is right for the session in bytes 1 and 2, with RESULT *version*
                //= in a frame of its own version, whose detail holds the lowest and the highest
                //= version it speaks in bytes 0 and 1; its present session does not change.
                context.answerStray(session, .version)
            }
            return error
        }
    }

    /// Takes a control frame.
    public mutating func receive(_ frame: SenderControl, at now: Instant) {
        context.now.advance(to: now)
        take(frame)
    }

    private mutating func take(_ frame: SenderControl) {
        switch frame {
        case .open(let open): _ = state.open(open, context: &context)
        case .poll(let poll): _ = state.poll(poll, context: &context)
        case .close(let close): _ = state.close(close, context: &context)
        //= RUN-1: A receiver MUST answer QUERY in any state with STATUS, whose checksum is of the
        //= session in QUERY, and change nothing.
        case .query(let query): context.tell(query.session)
        }
    }

    /// Takes a data datagram.
    ///
    /// - Returns: false if it was dropped, or an echo probe.
    @discardableResult
    public mutating func receive(data datagram: RawSpan, at now: Instant) -> Bool {
        context.now.advance(to: now)
        let action: ReceiverState.DataAction
        if let frame = try? DataFrame(decoding: datagram) {
            action = state.data(frame, in: datagram, context: &context)
            if action == .dropped { echo(frame, datagram) }
        } else {
            action = .dropped
        }
        switch action {
        case .placed: context.statistics.count(.dataFramePlaced)
        case .repeated: context.statistics.count(.dataFrameRepeated)
        case .dropped: context.statistics.count(.dataFrameDropped)
        }
        return action != .dropped
    }

    private mutating func echo(_ frame: DataFrame, _ datagram: RawSpan) {
        guard !frame.isPoll,
            DataFrame.isIntact(datagram, chunkIndex: UInt32(frame.token), header: .echo)
        else { return }
        context.echo(token: frame.token, byteCount: frame.byteCount)
    }

    /// Takes an answer of the store.
    ///
    /// - Parameter ticket: that of the receiver when it gave the task; an answer from before the
    ///   present session is ignored.
    public mutating func handle(
        _ answer: StorageAnswer,
        for ticket: StorageTicket,
        at now: Instant
    ) {
        context.now.advance(to: now)
        guard ticket == context.ticket else { return }
        _ = state.answer(answer, context: &context)
    }

    /// Does what is due by the clock; harmless when nothing is.
    public mutating func handleTimeout(at now: Instant) {
        context.now.advance(to: now)
        _ = state.timeout(context: &context)
    }

    /// Asks the peer to send an object; does nothing unless idle.
    public mutating func request(
        _ nameTag: TransferTag,
        session: SessionNumber,
        at now: Instant
    ) {
        context.now.advance(to: now)
        _ = state.request(.init(session: session, nameTag: nameTag), context: &context)
    }

    /// Ends the session from this side: RESULT is all that is left to send.
    public mutating func giveUp(because reason: Reason, at now: Instant) {
        context.now.advance(to: now)
        _ = state.giveUp(because: reason, context: &context)
    }

    /// Writes the next frame to send.
    ///
    /// - Parameter output: room for ``ReceiverControl/byteCountMax`` bytes.
    /// - Returns: what was written, or `nil` if there is nothing to say before the next input.
    public mutating func writeNextFrame(
        at now: Instant,
        into output: inout MutableRawSpan
    ) -> WrittenFrame? {
        context.now.advance(to: now)
        return context.writeStatelessFrame(into: &output)
            ?? state.writeNextFrame(context: &context, into: &output)
    }

    /// Whether ``writeNextFrame(at:into:)`` may have something to send: it never has without this.
    public func hasTransmission(at now: Instant) -> Bool {
        context.hasStatelessTransmission
            || state.hasTransmission(context, at: max(context.now, now))
    }

    /// The next thing the store has to do, or `nil` if there is none before the next input.
    public mutating func nextTask() -> StorageTask? { state.nextTask(context: &context) }

    /// Whether ``nextTask()`` has one.
    public var hasTask: Bool { context.hasTask || state.hasTask(context) }

    /// Whether the store has to let go of a session, which drops what it is at: then that is what
    /// ``nextTask()`` has.
    public var hasRelease: Bool { context.hasRelease }

    /// The bytes of a block that a task wants written.
    public func withBytes<R>(ofBlock block: Int, _ body: (RawSpan) -> R) -> R {
        precondition(state == .receiving, "no object is being received")
        return context.receiving.withBytes(ofBlock: block, body)
    }

    /// When ``handleTimeout(at:)`` and ``writeNextFrame(at:into:)`` have to be called at the
    /// latest; `nil` while it only listens.
    public var nextDeadline: Instant? { state.deadline(context: context) }
}

/// A receiver owns its memory as long as it lives, so it may move from one thread to another.
extension Receiver: @unchecked Sendable {}
