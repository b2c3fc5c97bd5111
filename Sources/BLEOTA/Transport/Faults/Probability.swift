/// The probability of an event: 0 (never) to 1 (always), both exact.
package struct Probability: Sendable, Hashable {
    /// The probability of an event that never happens.
    package static let never = Probability(unchecked: 0)
    /// The probability of an event that always happens.
    package static let always = Probability(unchecked: 1)

    /// The probability as a number, 0 to 1.
    package let value: Double

    private init(unchecked value: Double) {
        self.value = value
    }

    /// Creates a probability from a number. Returns `nil` unless the number is in the range 0 to 1.
    package init?(_ value: Double) {
        guard (0...1).contains(value) else { return nil }
        // Adding 0 turns negative zero into zero, so that equal values print identically.
        self.init(unchecked: value + 0)
    }

    /// Decides once whether the event happens. Always draws exactly one number.
    func occurs(using generator: inout SeededGenerator) -> Bool {
        // 53 random bits make a fraction that is at least 0 and less than 1.
        Double(generator.next() >> 11) * 0x1p-53 < value
    }
}

extension Probability: LosslessStringConvertible {
    /// Parses text such as "0.02" or "2%". Returns `nil` if the text is not a probability, as in
    /// "nan", "3" or "-1%".
    package init?(_ text: String) {
        let isPercentage = text.hasSuffix("%")
        let digits = isPercentage ? text.dropLast() : text[...]
        // Double's own parser also accepts forms that make no sense here: hexadecimal, infinity and
        // signs.
        guard digits.first?.isWholeNumber == true || digits.first == ".",
            digits.utf8.allSatisfy({ byte in Self.numberBytes.contains(byte) }),
            let number = Double(digits)
        else { return nil }
        self.init(isPercentage ? number / 100 : number)
    }

    private static let numberBytes = Set("0123456789.e-".utf8)

    /// The number as text, which `init(_:)` reads back exactly.
    package var description: String { "\(value)" }
}
