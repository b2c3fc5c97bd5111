/// The sending end of a transfer, without I/O, clock or memory of its own.
///
/// There are four kinds of method: `phase`, `statistics` and the like tell; `receive` takes what
/// the link brought and `handleTimeout` what the clock did; `abort` is the application's; and
/// `nextTransmission` and `nextDeadline` say what the caller has to do next. After each input, call
/// `nextTransmission` until it returns `nil`, then wait for a datagram or for `nextDeadline`. Hand
/// each datagram on before asking for the next, with the time of asking: the pause of a timed burst
/// begins when the machine is asked for more than the burst holds.
///
/// ```swift
/// var sender = Sender(
///     transfer: transfer, session: session, frameByteCountMax: 244, options: SenderOptions(),
///     memory: memory, at: clock.now)
/// while sender.outcome == nil {
///     while let transmission = sender.nextTransmission(at: clock.now) { link.send(transmission) }
///     if let datagram = link.receive(until: sender.nextDeadline) {
///         sender.receive(datagram, at: clock.now)
///     }
///     sender.handleTimeout(at: clock.now)
/// }
/// ```
///
/// Cost: no allocation; an ACK costs time proportional to the chunks in flight when some of them
/// are missing, else to those it acknowledges.
public struct Sender: ~Copyable {
    private var state: SenderState
    private var context: SenderContext

    /// Begins a session; the first transmission is OPEN.
    ///
    /// - Parameters:
    ///   - session: unpredictable to others, different from that of the last attempt.
    ///   - frameByteCountMax: what the link carries in a data datagram, at least 16.
    ///   - memory: 16 to 16,384 elements, a power of two: how many chunks past the first missing
    ///     one can be in flight. It has to outlive the sender and belongs to it meanwhile.
    public init(
        transfer: TransferDescription,
        session: SessionNumber,
        frameByteCountMax: Int,
        options: SenderOptions,
        memory: UnsafeMutableBufferPointer<SentChunk>,
        at now: Instant
    ) {
        precondition(options.window.isValid, "a window has 1 to 512 chunks")
        precondition((16...16_384).contains(memory.count), "16 to 16,384 chunks can be followed")
        precondition(memory.count & (memory.count - 1) == 0, "memory is a power of two")
        context = SenderContext(
            now: now,
            transfer: transfer,
            options: options,
            ring: memory,
            session: session,
            chunkSize: ChunkSize(fittingFrameOf: frameByteCountMax),
            frameByteCountMax: frameByteCountMax,
            keepsOrder: options.isLinkOrdered,
            progress: SenderProgress(options: options, at: now)
        )
        state = .opening(.init(context: context))
    }

    /// The state it is in.
    public var phase: SenderPhase {
        switch state {
        case .opening: .opening
        case .streaming(let streaming): .streaming(streaming.object)
        case .awaitingResult(let awaiting): .awaitingResult(awaiting.object)
        case .discoveringSize: .discoveringSize
        case .ended(let ended): .ended(ended.outcome)
        }
    }

    /// How the session ended; `nil` before.
    public var outcome: SenderOutcome? { state.outcome }

    /// The session it is in.
    public var session: SessionNumber { context.session }

    /// The chunk size of the session it is in.
    public var chunkSize: ChunkSize { context.chunkSize }

    /// How much of the image the receiver has durably stored.
    public var durableByteCount: UInt32 { context.durableByteCount }

    /// The furthest place up to which the receiver ever said that a transfer is durable; `nil`
    /// before the first ACK.
    package var furthestDurable: TransferPosition? { context.progress.durable }

    /// How much of it was there when the session began; `nil` before the first ACK of the
    /// image.
    public var resumedFromByte: UInt32? { context.resumedFromByte }

    /// The smoothed round-trip time; `nil` before the first sample.
    public var roundTrip: Microseconds? {
        context.roundTrip.shortest == nil ? nil : context.roundTrip.smoothed
    }

    /// What it has counted.
    public var statistics: SenderStatistics { context.statistics }

    /// Takes a control datagram.
    ///
    /// - Returns: why it was dropped, or `nil` if it was not.
    @discardableResult
    public mutating func receive(_ datagram: RawSpan, at now: Instant) -> FrameDecodingError? {
        do throws(FrameDecodingError) {
            receive(try ReceiverControl(decoding: datagram, session: context.session), at: now)
            return nil
        } catch {
            //= FRAME-3: An end MUST NOT answer a control frame that it drops, except as [FRAME-4]
            //= says.
            return error
        }
    }

    /// Takes a control frame of this session.
    public mutating func receive(_ frame: ReceiverControl, at now: Instant) {
        context.now.advance(to: now)
        switch frame {
        case .acknowledgement(let acknowledgement):
            state.acknowledged(by: acknowledgement, context: &context)
        case .busy: state.busy(context: &context)
        case .result(let result): state.result(result, context: &context)
        case .echoReply(let reply): state.echoReply(reply, context: &context)
        // STATUS answers QUERY, outside any session.
        case .status: break
        // Its OPEN is on the way already, and is repeated until it is answered.
        case .request: break
        }
    }

    /// Does what is due by the clock; harmless when nothing is.
    public mutating func handleTimeout(at now: Instant) {
        context.now.advance(to: now)
        state.timeout(context: &context)
    }

    /// Ends the session from this side: CLOSE is all that is left to send.
    public mutating func abort(_ reason: Reason) {
        state.abort(reason)
    }

    /// The next datagram to send, or `nil` if there is none before the next input.
    public mutating func nextTransmission(at now: Instant) -> SenderTransmission? {
        context.now.advance(to: now)
        return state.nextTransmission(context: &context)
    }

    /// When ``handleTimeout(at:)`` has to be called at the latest; `nil` when ended.
    public var nextDeadline: Instant? { state.deadline(context: context) }
}

/// A sender owns its memory as long as it lives, so it may move from one thread to another.
extension Sender: @unchecked Sendable {}
