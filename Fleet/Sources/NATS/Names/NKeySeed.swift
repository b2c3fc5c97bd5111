/// The private half of a user's key pair as text: 58 characters, of which the first two are `SU`.
///
/// It has no description, so that none is printed by mistake.
package struct NKeySeed: Sendable {
    /// The text for a file that nobody else may read.
    package let text: String
    /// The 32 bytes from which the key pair follows.
    package let bytes: [UInt8]

    /// Makes the text of a seed of 32 bytes.
    package init(_ bytes: [UInt8]) {
        precondition(bytes.count == 32)
        self.bytes = bytes
        // Five bits for a seed, `S`, and five for a user, `U`, of which the last two are 0, as are
        // the six after them.
        text = NKeyText.encoded([18 << 3 | 20 >> 2, 0] + bytes)
    }

    /// Parses a seed; `nil` if `text` is not a user's, or has a wrong checksum.
    package init?(_ text: String) {
        guard text.utf8.count == 58, text.hasPrefix("SU"), let decoded = NKeyText.decoded(text),
            decoded.count == 34, NKeyText.encoded(decoded) == text
        else { return nil }
        self.text = text
        bytes = Array(decoded[2...])
    }
}

/// Keys as text: base32 of RFC 4648, with a checksum in the last two bytes.
enum NKeyText {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

    static func encoded(_ bytes: [UInt8]) -> String {
        let sum = checksum(bytes)
        var digits: [UInt8] = []
        var bits: UInt32 = 0
        var bitCount = 0
        for byte in bytes + [UInt8(sum & 0xFF), UInt8(sum >> 8)] {
            bits = bits << 8 | UInt32(byte)
            bitCount += 8
            while bitCount >= 5 {
                bitCount -= 5
                digits.append(alphabet[Int(bits >> UInt32(bitCount) & 31)])
            }
        }
        if bitCount > 0 { digits.append(alphabet[Int(bits << UInt32(5 - bitCount) & 31)]) }
        return String(decoding: digits, as: UTF8.self)
    }

    /// The bytes before the checksum; `nil` if that is wrong.
    static func decoded(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        var bits: UInt32 = 0
        var bitCount = 0
        for character in text.utf8 {
            guard let value = alphabet.firstIndex(of: character) else { return nil }
            bits = bits << 5 | UInt32(value)
            bitCount += 5
            guard bitCount >= 8 else { continue }
            bitCount -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
        }
        guard bytes.count > 2 else { return nil }
        let sum = UInt16(bytes[bytes.count - 2]) | UInt16(bytes[bytes.count - 1]) << 8
        let content = Array(bytes.dropLast(2))
        return checksum(content) == sum ? content : nil
    }

    /// CRC-16 with the polynomial 0x1021, from 0.
    private static func checksum(_ bytes: [UInt8]) -> UInt16 {
        bytes.reduce(0) { sum, byte in
            (0..<8).reduce(sum ^ UInt16(byte) << 8) { sum, _ in
                sum & 0x8000 != 0 ? sum << 1 ^ 0x1021 : sum << 1
            }
        }
    }
}
