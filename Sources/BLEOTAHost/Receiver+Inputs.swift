public import BLEOTACore
public import BLEOTAWire

/// Variants of the functions for inputs, with the current time as a parameter, for callers that
/// read the clock before each input.
extension Receiver {
    /// Handles a control datagram.
    ///
    /// - Returns: the reason the datagram was dropped, or `nil` if it was handled.
    @discardableResult
    public mutating func receive(
        control datagram: RawSpan,
        at now: Instant
    ) -> FrameDecodingError? {
        advance(to: now)
        return receive(control: datagram)
    }

    /// Handles a control frame.
    public mutating func receive(_ frame: SenderControl, at now: Instant) {
        advance(to: now)
        handle(frame)
    }

    /// Handles a data datagram.
    ///
    /// - Returns: false if the datagram was dropped or was an echo probe.
    @discardableResult
    public mutating func receive(data datagram: RawSpan, at now: Instant) -> Bool {
        advance(to: now)
        return receive(data: datagram)
    }

    /// Handles the deadlines that have passed. The call has no effect if there are none.
    public mutating func handleTimeout(at now: Instant) {
        advance(to: now)
        timeout()
    }

    /// Asks the peer to send an image. The call has no effect unless the receiver is idle.
    public mutating func request(_ nameTag: TransferTag, session: SessionNumber, at now: Instant) {
        advance(to: now)
        request(nameTag, session: session)
    }

    /// Ends the session from this side. RESULT is the only frame left to send.
    public mutating func abort(_ reason: Reason, at now: Instant) {
        advance(to: now)
        abort(reason)
    }

    /// Writes the next frame to send.
    ///
    /// - Parameters:
    ///   - now: the current time.
    ///   - output: a buffer with room for ``/BLEOTAWire/ReceiverControl/byteCountMax`` bytes.
    /// - Returns: a description of the frame, or `nil` if there is none before the next input.
    public mutating func writeNextFrame(
        at now: Instant,
        into output: inout MutableRawSpan
    ) -> WrittenFrame? {
        advance(to: now)
        return writeNextFrame(into: &output)
    }
}
