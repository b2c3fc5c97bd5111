public import BLEOTACore
public import BLEOTAWire

/// A control frame from a receiver as a value, with the session that its checksum covers. It is
/// for tests and traces; code that only sends frames does not need it.
public struct ReceiverTransmission: Hashable, Sendable, BitwiseCopyable {
    /// The session of the frame.
    public var session: SessionNumber
    /// The frame.
    public var frame: ReceiverControl

    /// Decodes the frame that `write` produces. Returns `nil` if there is none.
    init?(_ write: (inout MutableRawSpan) -> WrittenFrame?) {
        // The buffer is as long as the longest frame.
        var bytes = InlineArray<79, UInt8>(repeating: 0)
        var elements = bytes.mutableSpan
        var output = elements.mutableBytes
        guard let written = write(&output) else { return nil }
        let datagram = output.bytes.extracting(0..<written.byteCount)
        guard let frame = try? ReceiverControl(decoding: datagram, session: written.session) else {
            preconditionFailure("a receiver writes only readable frames")
        }
        session = written.session
        self.frame = frame
    }

    /// Creates a transmission of a frame in a session.
    package init(session: SessionNumber, frame: ReceiverControl) {
        self.session = session
        self.frame = frame
    }

    /// Encodes the frame.
    ///
    /// - Parameter output: a buffer with room for ``/BLEOTAWire/ReceiverControl/byteCountMax``
    ///   bytes.
    /// - Returns: the length of the frame in bytes.
    public func encode(into output: inout MutableRawSpan) -> Int {
        frame.encode(session: session, into: &output)
    }
}

extension Receiver {
    /// Returns the frame that ``writeNextFrame(at:into:)`` would write, as a value.
    public mutating func nextTransmission(at now: Instant) -> ReceiverTransmission? {
        ReceiverTransmission { output in writeNextFrame(at: now, into: &output) }
    }
}
