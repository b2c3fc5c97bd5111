import BLEOTACore

/// Formats numbers for human readers.
enum Words {
    static func time(_ moment: Instant) -> String { time(moment - Instant(microseconds: 0)) }

    /// Formats a duration, such as 12.5 ms.
    static func time(_ span: Microseconds) -> String { "\(decimal(thousandths: span.rawValue)) ms" }

    /// Formats a probability as a percentage: 0.012 becomes 1.2 %.
    static func share(_ probability: Double) -> String {
        "\(decimal(thousandths: Int64((probability * 100_000).rounded()))) %"
    }

    private static func decimal(thousandths: Int64) -> String {
        let fraction = String(thousandths % 1_000)
        var digits = String(repeating: "0", count: 3 - fraction.count) + fraction
        while digits.last == "0" { digits.removeLast() }
        return "\(thousandths / 1_000)" + (digits.isEmpty ? "" : ".\(digits)")
    }
}
