/// How likely something is: 0 (never) to 1 (always), both exact.
package struct Probability: Sendable, Hashable {
    /// It never happens.
    package static let never = Probability(unchecked: 0)
    /// It happens every time.
    package static let always = Probability(unchecked: 1)

    /// 0 to 1.
    package let value: Double

    private init(unchecked value: Double) {
        self.value = value
    }

    /// Makes a probability of a number, or `nil` when it is not one of 0 to 1.
    package init?(_ value: Double) {
        guard (0...1).contains(value) else { return nil }
        // The sum turns negative zero into zero, so that equal values print equally.
        self.init(unchecked: value + 0)
    }

    /// Decides once. Draws exactly one number, whatever the probability.
    func occurs(using generator: inout SeededGenerator) -> Bool {
        // 53 random bits make a fraction that is at least 0 and less than 1.
        Double(generator.next() >> 11) * 0x1p-53 < value
    }
}

extension Probability: LosslessStringConvertible {
    /// Reads "0.02" or "2%"; `nil` for all else, such as "nan", "3" or "-1%".
    package init?(_ text: String) {
        let isPercentage = text.hasSuffix("%")
        let digits = isPercentage ? text.dropLast() : text[...]
        // Double's own reader takes more than a person means: hexadecimal, infinity, signs.
        guard digits.first?.isWholeNumber == true || digits.first == ".",
            digits.utf8.allSatisfy({ byte in Self.numberBytes.contains(byte) }),
            let number = Double(digits)
        else { return nil }
        self.init(isPercentage ? number / 100 : number)
    }

    private static let numberBytes = Set("0123456789.e-".utf8)

    /// The number, which `init(_:)` reads back exactly.
    package var description: String { "\(value)" }
}
