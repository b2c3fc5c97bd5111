/// 32 bytes that nobody can guess, written as 64 hexadecimal digits.
package struct Secret: Sendable, Hashable {
    package static let digitCount = 64

    package let text: String

    /// Draws a secret. The system's generator is one that nobody can predict.
    package init(using generator: inout some RandomNumberGenerator) {
        text = (0..<4)
            .map { _ in
                let digits = String(UInt64.random(in: 0 ... .max, using: &generator), radix: 16)
                return String(repeating: "0", count: 16 - digits.count) + digits
            }
            .joined()
    }

    package static func random() -> Secret {
        var generator = SystemRandomNumberGenerator()
        return Secret(using: &generator)
    }

    /// Parses a secret; `nil` if `text` is none.
    package init?(_ text: some StringProtocol) {
        let isDigit = { (byte: UInt8) in
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
        }
        guard text.utf8.count == Self.digitCount, text.utf8.allSatisfy(isDigit) else { return nil }
        self.text = String(text)
    }

    /// Whether another is the same, in a time that doesn't tell how much of it is.
    package func matches(_ other: Secret) -> Bool {
        zip(text.utf8, other.text.utf8).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
