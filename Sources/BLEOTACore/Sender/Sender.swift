/// The sending end of a transfer, without I/O, a clock or memory of its own.
///
/// The interface has four parts. Properties such as `phase` and `statistics` report the state.
/// `receive` handles frames from the link, and `handleTimeout` handles the passing of time. `abort`
/// is for the application. `nextTransmission` and `nextDeadline` return the caller's next steps.
///
/// After each input, call `nextTransmission` until it returns `nil`, then wait for a datagram
/// or for `nextDeadline`. Send each datagram before asking for the next one, and always pass
/// the current time: the pause of a timed burst begins when the caller asks for more chunks
/// than the burst holds.
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
/// Cost: no allocation. An ACK takes time proportional to the number of chunks in flight if
/// some of them are missing, and otherwise to the number of chunks that it acknowledges.
public struct Sender: ~Copyable {
    private var state: SenderState
    private var context: SenderContext

    /// Begins a session. The first transmission is OPEN.
    ///
    /// - Parameters:
    ///   - transfer: the transfer to send.
    ///   - session: an unpredictable number that differs from that of the previous attempt.
    ///   - frameByteCountMax: the maximum length of a data frame on the link in bytes, at least 16.
    ///   - options: the settings of the sender.
    ///   - memory: 16 to 16,384 elements, a power of two. Their number limits how many chunks
    ///     past the first missing one can be in flight. The memory must outlive the sender,
    ///     which has exclusive access to it.
    ///   - now: the current time.
    public init(
        transfer: TransferDescription,
        session: SessionNumber,
        frameByteCountMax: Int,
        options: SenderOptions,
        memory: UnsafeMutableBufferPointer<SentChunk>,
        at now: Instant
    ) {
        precondition(options.window.isValid, "a window has 1 to 512 chunks")
        precondition((16...16_384).contains(memory.count), "a sender tracks 16 to 16,384 chunks")
        precondition(memory.count & (memory.count - 1) == 0, "memory.count is a power of two")
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

    /// The current state of the sender.
    public var phase: SenderPhase {
        switch state {
        case .opening: .opening
        case .streaming(let streaming): .streaming(streaming.object)
        case .awaitingResult(let awaiting): .awaitingResult(awaiting.object)
        case .discoveringSize: .discoveringSize
        case .ended(let ended): .ended(ended.outcome)
        }
    }

    /// How the session ended, or `nil` before its end.
    public var outcome: SenderOutcome? { state.outcome }

    /// The number of the current session.
    public var session: SessionNumber { context.session }

    /// The chunk size of the current session.
    public var chunkSize: ChunkSize { context.chunkSize }

    /// The number of bytes of the image that the receiver has stored durably.
    public var durableByteCount: UInt32 { context.durableByteCount }

    /// The furthest durable position that the receiver has ever reported, or `nil` before the
    /// first ACK.
    package var furthestDurable: TransferPosition? { context.progress.durable }

    /// The durable byte count in the first ACK of the image, from which the transfer resumed.
    /// It is `nil` before that ACK.
    public var resumedFromByte: UInt32? { context.resumedFromByte }

    /// The smoothed round-trip time, or `nil` before the first sample.
    public var roundTrip: Microseconds? {
        context.roundTrip.shortest == nil ? nil : context.roundTrip.smoothed
    }

    /// The counters of this sender.
    public var statistics: SenderStatistics { context.statistics }

    /// Handles a control datagram.
    ///
    /// - Returns: the reason the datagram was dropped, or `nil` if it was handled.
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

    /// Handles a control frame of this session.
    public mutating func receive(_ frame: ReceiverControl, at now: Instant) {
        context.now.advance(to: now)
        switch frame {
        case .acknowledgement(let acknowledgement):
            state.acknowledged(by: acknowledgement, context: &context)
        case .busy: state.busy(context: &context)
        case .result(let result): state.result(result, context: &context)
        case .echoReply(let reply): state.echoReply(reply, context: &context)
        // STATUS answers QUERY and belongs to no session.
        case .status, .proof: break
        // The OPEN that answers REQUEST has been sent, and is repeated until it is answered.
        case .request: break
        }
    }

    /// Handles the deadlines that have passed. The call has no effect if there are none.
    public mutating func handleTimeout(at now: Instant) {
        context.now.advance(to: now)
        state.timeout(context: &context)
    }

    /// Ends the session from this side. CLOSE is the only frame left to send.
    public mutating func abort(_ reason: Reason) {
        state.abort(reason)
    }

    /// Returns the next datagram to send, or `nil` if there is none before the next input.
    public mutating func nextTransmission(at now: Instant) -> SenderTransmission? {
        context.now.advance(to: now)
        return state.nextTransmission(context: &context)
    }

    /// The time by which ``handleTimeout(at:)`` must be called, or `nil` after the end of the
    /// session.
    public var nextDeadline: Instant? { state.deadline(context: context) }
}

/// A sender owns its memory for its whole lifetime, so it can be moved between threads.
extension Sender: @unchecked Sendable {}
