/// The name of a transfer or of a requested object: the first 8 bytes of a SHA-256, read as a
/// little-endian number.
public struct TransferTag: RawRepresentable, Hashable, Sendable, BitwiseCopyable {
    /// The tag as a number, with its first byte in the lowest 8 bits.
    public let rawValue: UInt64

    /// Creates a tag. Every 64-bit number is valid.
    public init(rawValue: UInt64) { self.rawValue = rawValue }
}
