public import BLEOTACore
public import BLEOTAWire

/// The inputs with their moments, for callers that read the clock before each.
extension Receiver {
    /// Takes a control datagram.
    ///
    /// - Returns: why it was dropped, or `nil` if it was not.
    @discardableResult
    public mutating func receive(
        control datagram: RawSpan,
        at now: Instant
    ) -> FrameDecodingError? {
        advance(to: now)
        return receive(control: datagram)
    }

    /// Takes a control frame.
    public mutating func receive(_ frame: SenderControl, at now: Instant) {
        advance(to: now)
        handle(frame)
    }

    /// Takes a data datagram.
    ///
    /// - Returns: false if it was dropped, or an echo probe.
    @discardableResult
    public mutating func receive(data datagram: RawSpan, at now: Instant) -> Bool {
        advance(to: now)
        return receive(data: datagram)
    }

    /// Does what is due by the clock; harmless when nothing is.
    public mutating func handleTimeout(at now: Instant) {
        advance(to: now)
        timeout()
    }

    /// Asks the peer to send an object; does nothing unless idle.
    public mutating func request(_ nameTag: TransferTag, session: SessionNumber, at now: Instant) {
        advance(to: now)
        request(nameTag, session: session)
    }

    /// Ends the session from this side: RESULT is all that is left to send.
    public mutating func abort(_ reason: Reason, at now: Instant) {
        advance(to: now)
        abort(reason)
    }

    /// Writes the next frame to send.
    ///
    /// - Parameter output: room for ``ReceiverControl/byteCountMax`` bytes.
    /// - Returns: what was written, or `nil` if there is nothing to say before the next input.
    public mutating func writeNextFrame(
        at now: Instant,
        into output: inout MutableRawSpan
    ) -> WrittenFrame? {
        advance(to: now)
        return writeNextFrame(into: &output)
    }
}
