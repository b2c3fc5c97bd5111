/// Names a key that signs, or for which an image is sealed: the first 8 bytes of the SHA-256 of the
/// public key, as a little-endian number. It says which key to try and proves nothing.
public struct KeyID: RawRepresentable, Hashable, Sendable, BitwiseCopyable {
    /// The eight bytes, the first in the lowest.
    public let rawValue: UInt64

    /// Any eight bytes may be a key's.
    public init(rawValue: UInt64) { self.rawValue = rawValue }
}
