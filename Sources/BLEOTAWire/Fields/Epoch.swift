/// Dates the receiver's account of an object. A newer epoch replaces the account of the older.
///
/// Epochs wrap, so they have no order of their own; ``isNewer(than:)`` compares serially.
public struct Epoch: Hashable, Sendable, BitwiseCopyable {
    /// The number on the wire.
    public let rawValue: UInt8

    /// Any 8-bit number is an epoch.
    public init(_ rawValue: UInt8) { self.rawValue = rawValue }

    //= ACK-2: A receiver that no longer has what it acknowledged MUST begin a new epoch, whose
    //= number is the old one plus 1 modulo 256, whatever object that was of; the first of a session
    //= may be any, and a sender takes it as newer.
    /// The epoch that follows this one.
    public var next: Epoch { Epoch(rawValue &+ 1) }

    //= ACK-8: A sender MUST ignore an ACK of an epoch that is older than the present one: by 1 to
    //= 128, modulo 256.
    /// Whether this epoch is 1 to 127 after `other`; 128 and more count as before it.
    public func isNewer(than other: Epoch) -> Bool {
        (1...127).contains(rawValue &- other.rawValue)
    }
}
