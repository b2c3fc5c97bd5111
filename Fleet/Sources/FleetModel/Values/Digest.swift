/// The SHA-256 of an image bundle.
package struct Digest: Sendable, Hashable {
    package static let byteCount = 32

    package let bytes: [UInt8]

    /// Takes over a digest; `nil` if it is not 32 bytes.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }
}
