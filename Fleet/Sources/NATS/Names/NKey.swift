/// The public half of a user's key pair: 56 characters, of which the first is `U`.
package struct NKey: Sendable, Hashable, CustomStringConvertible {
    /// The key as text.
    package let text: String

    /// Parses a public key; `nil` if `text` is not one, or has a wrong checksum.
    ///
    /// A seed, which begins with `S`, is not accepted, so that none is printed by mistake.
    package init?(_ text: String) {
        guard text.utf8.count == 56, text.utf8.first == UInt8(ascii: "U"),
            let bytes = Self.decoded(text), bytes.count == 35
        else { return nil }
        let sum = UInt16(bytes[33]) | UInt16(bytes[34]) << 8
        guard Self.checksum(bytes[..<33]) == sum else { return nil }
        self.text = text
    }

    /// Base32 of RFC 4648: 5 bits a character, 56 characters for 35 bytes.
    private static func decoded(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        var bits: UInt32 = 0
        var bitCount = 0
        for character in text.utf8 {
            let value: UInt8
            switch character {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): value = character - UInt8(ascii: "A")
            case UInt8(ascii: "2")...UInt8(ascii: "7"): value = character - UInt8(ascii: "2") + 26
            default: return nil
            }
            bits = bits << 5 | UInt32(value)
            bitCount += 5
            guard bitCount >= 8 else { continue }
            bitCount -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
        }
        return bytes
    }

    /// CRC-16 with the polynomial 0x1021, from 0.
    private static func checksum(_ bytes: some Sequence<UInt8>) -> UInt16 {
        bytes.reduce(0) { sum, byte in
            (0..<8).reduce(sum ^ UInt16(byte) << 8) { sum, _ in
                sum & 0x8000 != 0 ? sum << 1 ^ 0x1021 : sum << 1
            }
        }
    }

    /// The key as text.
    package var description: String { text }
}
