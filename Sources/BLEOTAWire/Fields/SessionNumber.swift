/// The number that distinguishes a session from others on the same link.
///
/// A session number deliberately has 16 bits: two different session numbers differ within 16
/// consecutive bits of the pseudo-header, and the checksum detects every such difference
/// (spec/bleota.md, section 2.4).
public struct SessionNumber: Hashable, Sendable, BitwiseCopyable {
    /// The encoded number.
    public let rawValue: UInt16

    /// Creates a session number. Every 16-bit number is valid.
    public init(_ rawValue: UInt16) { self.rawValue = rawValue }

    /// The session number 0, used in the pseudo-header of echo probes and their replies, which
    /// belong to no session.
    public static var none: SessionNumber { SessionNumber(0) }

    /// The number with which a sender opens its next session.
    public var next: SessionNumber { SessionNumber(rawValue &+ 1) }
}
