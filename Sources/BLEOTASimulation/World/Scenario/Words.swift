import BLEOTACore

/// Numbers as people read them.
enum Words {
    static func time(_ moment: Instant) -> String { time(moment - Instant(microseconds: 0)) }

    /// 12.5 ms
    static func time(_ span: Microseconds) -> String { "\(decimal(thousandths: span.rawValue)) ms" }

    /// 0.012 of 1 is 1.2 %.
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
