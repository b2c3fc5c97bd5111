/// The ID of a key that signs, or for which an image is sealed: the first 8 bytes of the
/// SHA-256 of the public key, as a little-endian number. It shows which key to try and proves
/// nothing.
public struct KeyID: RawRepresentable, Hashable, Sendable, BitwiseCopyable {
    /// The ID as a number, with its first byte in the lowest 8 bits.
    public let rawValue: UInt64

    /// Creates an ID. Every 64-bit number is valid.
    public init(rawValue: UInt64) { self.rawValue = rawValue }
}
