/// Tells one attempt at a transfer from the others on a link.
///
/// 16 bits on purpose: two sessions that differ at all differ in at most 16 consecutive bits of a
/// pseudo-header, and the checksum detects every such difference (spec/bleota.md, section 2.4).
public struct SessionNumber: Hashable, Sendable, BitwiseCopyable {
    /// The number on the wire.
    public let rawValue: UInt16

    /// Any 16-bit number is a session.
    public init(_ rawValue: UInt16) { self.rawValue = rawValue }

    /// Zero: the pseudo-header of echo probes and their replies, which belong to no session.
    public static var none: SessionNumber { SessionNumber(0) }

    /// The number a sender takes when it has to open anew.
    public var next: SessionNumber { SessionNumber(rawValue &+ 1) }
}
