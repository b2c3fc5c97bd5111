import BLEOTACore

/// Numbers as the report has them. Each is rounded before it is printed, so that every machine
/// prints the same.
enum Figures {
    /// kB/s, of bytes a second: one digit after the point, two below 10.
    static func rate(_ bytesPerSecond: Double) -> String {
        bytesPerSecond < 9_950
            ? decimal(bytesPerSecond / 1_000, places: 2)
            : decimal(bytesPerSecond / 1_000, places: 1)
    }

    static func percent(_ value: Double) -> String { "\(decimal(value, places: 1)) %" }

    static func ratio(_ value: Double) -> String { decimal(value, places: 1) }

    static func milliseconds(_ span: Microseconds) -> String {
        let text = decimal(Double(span.rawValue) / 1_000, places: 1)
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    /// A number of at least 0.
    static func decimal(_ value: Double, places: Int) -> String {
        let unit = places == 2 ? 100 : 10
        let scaled = Int((value * Double(unit)).rounded())
        let fraction = String(scaled % unit)
        return "\(scaled / unit)."
            + String(repeating: "0", count: places - fraction.count) + fraction
    }
}
