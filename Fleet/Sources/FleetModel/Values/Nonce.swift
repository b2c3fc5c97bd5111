/// The random bytes that a controller picks for an order, and that a device's signature covers, so
/// that no receipt can be used for another order.
package struct Nonce: Sendable, Hashable {
    package static let byteCount = 12

    package let bytes: [UInt8]

    /// Takes over a nonce; `nil` if it is not 12 bytes.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }
}
