/// The SHA-256 of an image bundle.
package struct Digest: Sendable, Hashable {
    package static let byteCount = 32

    package let bytes: [UInt8]

    /// Takes over a digest; `nil` if it is not 32 bytes.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    /// Parses 64 hexadecimal digits; `nil` if `text` is something else.
    package init?(hexadecimal text: String) {
        let digits = text.utf8.map { Character(UnicodeScalar($0)).hexDigitValue }
        guard digits.count == 2 * Self.byteCount, !digits.contains(nil) else { return nil }
        bytes = stride(from: 0, to: digits.count, by: 2).map {
            UInt8((digits[$0] ?? 0) << 4 | (digits[$0 + 1] ?? 0))
        }
    }

    /// The digest in hexadecimal digits.
    package var hexadecimal: String { bytes.hexadecimal }
}

extension [UInt8] {
    var hexadecimal: String {
        map { byte in
            let digits = String(byte, radix: 16)
            return digits.utf8.count == 1 ? "0" + digits : digits
        }.joined()
    }
}
