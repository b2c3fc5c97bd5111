/// A six-digit number that is typed or compared during pairing.
public struct PairingPasskey: Sendable, Hashable, CustomStringConvertible {
    /// The number, 0 to 999,999.
    public let number: UInt32

    /// Creates a passkey; `nil` if the number is larger than 999,999.
    public init?(_ number: UInt32) {
        guard number <= 999_999 else { return nil }
        self.number = number
    }

    /// Parses a passkey of exactly six digits; `nil` for any other text.
    public init?(_ text: String) {
        let isDigits = text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard text.utf8.count == 6, isDigits, let number = UInt32(text) else { return nil }
        self.number = number
    }

    /// The number as six digits.
    public var description: String {
        let digits = String(number)
        return String(repeating: "0", count: 6 - digits.count) + digits
    }
}
