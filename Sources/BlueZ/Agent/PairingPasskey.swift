/// A number of six digits that two devices compare while pairing.
public struct PairingPasskey: Sendable, Hashable, CustomStringConvertible {
    /// 0 to 999,999.
    public let number: UInt32

    /// `nil` for a number that is too large.
    public init?(_ number: UInt32) {
        guard number <= 999_999 else { return nil }
        self.number = number
    }

    /// The passkey that six digits are; `nil` for anything else.
    public init?(_ text: String) {
        let isDigits = text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard text.utf8.count == 6, isDigits, let number = UInt32(text) else { return nil }
        self.number = number
    }

    /// Six digits.
    public var description: String {
        let digits = String(number)
        return String(repeating: "0", count: 6 - digits.count) + digits
    }
}
