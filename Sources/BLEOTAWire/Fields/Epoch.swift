/// The version of the receiver's acknowledgement state. A newer epoch replaces the state of the
/// older one.
///
/// Epoch numbers wrap around, so they have no total order; ``isNewer(than:)`` compares them
/// modulo 256.
public struct Epoch: Hashable, Sendable, BitwiseCopyable {
    /// The encoded number.
    public let rawValue: UInt8

    /// Creates an epoch. Every 8-bit number is valid.
    public init(_ rawValue: UInt8) { self.rawValue = rawValue }

    //= ACK-2: If a receiver no longer has something that it acknowledged, it MUST begin a new
    //= epoch.
    /// The epoch that follows this one.
    public var next: Epoch { Epoch(rawValue &+ 1) }

    //= ACK-8: A sender MUST ignore an ACK of an older epoch.
    /// Whether this epoch is 1 to 127 steps after `other`, modulo 256. A distance of 128 or
    /// more counts as older.
    public func isNewer(than other: Epoch) -> Bool {
        (1...127).contains(rawValue &- other.rawValue)
    }
}
