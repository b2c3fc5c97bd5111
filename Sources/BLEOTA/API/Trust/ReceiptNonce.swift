import BLEOTAWire

/// The random bytes that make a receipt new: the device's signature covers them. Use each nonce for
/// one question.
public struct ReceiptNonce: Hashable, Sendable, CustomStringConvertible {
    /// The length of a nonce in bytes.
    public static let byteCount = ChallengeNonce.byteCount

    /// The bytes of the nonce, 12.
    public let bytes: [UInt8]

    /// A nonce that someone else picked, such as the server that judges the receipt. `nil` unless
    /// there are 12 bytes.
    public init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    private init(randomBytes bytes: [UInt8]) { self.bytes = bytes }

    /// Picks a nonce with the system's random number generator.
    public static func random() -> ReceiptNonce {
        ReceiptNonce(randomBytes: (0..<byteCount).map { _ in .random(in: .min ... .max) })
    }

    /// The nonce in hexadecimal digits.
    public var description: String { HexText.text(bytes) }

    init(_ nonce: ChallengeNonce) {
        bytes = nonce.low.littleEndianBytes + nonce.high.littleEndianBytes
    }

    var wireNonce: ChallengeNonce {
        ChallengeNonce(low: bytes.span.bytes.uint64(at: 0), high: bytes.span.bytes.uint32(at: 8))
    }
}
