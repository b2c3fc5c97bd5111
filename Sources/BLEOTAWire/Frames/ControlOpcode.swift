/// The kinds of control frame (spec/registry.md). Receivers send those numbered 8 and above.
public enum ControlOpcode: UInt8, Hashable, Sendable, BitwiseCopyable {
    case open = 1
    case poll = 2
    case close = 3
    case query = 4
    case challenge = 5
    case request = 8
    case acknowledgement = 9
    case busy = 10
    case result = 11
    case echoReply = 12
    case status = 13
    case proof = 14

    /// Whether receivers send frames of this kind.
    public var isFromReceiver: Bool { rawValue >= 8 }

    /// Reads the opcode of a datagram without checking the rest. Returns `nil` if this version
    /// defines no such opcode. The opcode is enough to show whether the peer that speaks first
    /// is a sender or a receiver.
    public init?(peeking bytes: RawSpan) {
        guard !bytes.isEmpty else { return nil }
        let first = bytes.byte(at: ControlLayout.versionAndOpcode)
        guard first >> 4 == ProtocolVersion.current else { return nil }
        self.init(rawValue: first & 0xF)
    }

    /// Byte 0 of a frame of this kind.
    var firstByte: UInt8 { ProtocolVersion.current << 4 | rawValue }
}
