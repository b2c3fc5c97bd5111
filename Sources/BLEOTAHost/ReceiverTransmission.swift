public import BLEOTACore
public import BLEOTAWire

/// A control frame that a receiver wants on the link, as a value, with the session its checksum
/// covers: for tests and traces. What only sends has no use for it.
public struct ReceiverTransmission: Hashable, Sendable, BitwiseCopyable {
    /// The session of the frame.
    public var session: SessionNumber
    /// The frame.
    public var frame: ReceiverControl

    /// Reads what `write` writes; `nil` if that is nothing.
    init?(_ write: (inout MutableRawSpan) -> WrittenFrame?) {
        // As long as the longest frame.
        var bytes = InlineArray<79, UInt8>(repeating: 0)
        var elements = bytes.mutableSpan
        var output = elements.mutableBytes
        guard let written = write(&output) else { return nil }
        let datagram = output.bytes.extracting(0..<written.byteCount)
        guard let frame = try? ReceiverControl(decoding: datagram, session: written.session) else {
            preconditionFailure("a receiver writes what can be read")
        }
        session = written.session
        self.frame = frame
    }

    /// A frame of a session.
    package init(session: SessionNumber, frame: ReceiverControl) {
        self.session = session
        self.frame = frame
    }

    /// Writes the frame.
    ///
    /// - Parameter output: room for ``ReceiverControl/byteCountMax`` bytes.
    /// - Returns: the length of the frame.
    public func encode(into output: inout MutableRawSpan) -> Int {
        frame.encode(session: session, into: &output)
    }
}

extension Receiver {
    /// What ``writeNextFrame(at:into:)`` writes, as a value.
    public mutating func nextTransmission(at now: Instant) -> ReceiverTransmission? {
        ReceiverTransmission { output in writeNextFrame(at: now, into: &output) }
    }
}
