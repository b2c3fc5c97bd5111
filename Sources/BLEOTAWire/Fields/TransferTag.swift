/// Names a transfer, or an object that is asked for: the first 8 bytes of a SHA-256, as a
/// little-endian number.
public struct TransferTag: RawRepresentable, Hashable, Sendable, BitwiseCopyable {
    /// The eight bytes, the first in the lowest.
    public let rawValue: UInt64

    /// Any eight bytes are a tag.
    public init(rawValue: UInt64) { self.rawValue = rawValue }
}
