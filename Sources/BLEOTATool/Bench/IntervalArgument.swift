import ArgumentParser
import BLEOTA

/// A connection interval in milliseconds: 7.5 to 4,000, in steps of 1.25 (Bluetooth Core 5.4,
/// volume 6, part B, 4.5.1).
struct IntervalArgument: ExpressibleByArgument {
    static let shortest = Microseconds(7_500)
    static let longest = Microseconds(4_000_000)
    static let step = Microseconds(1_250)

    let interval: Microseconds

    init(_ interval: Microseconds) { self.interval = interval }

    init?(argument: String) {
        guard argument.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2E }),
            let milliseconds = Double(argument), milliseconds <= 4_000
        else { return nil }
        let interval = Microseconds(Int64((milliseconds * 1_000).rounded()))
        guard interval >= Self.shortest, interval.rawValue % Self.step.rawValue == 0 else {
            return nil
        }
        self.interval = interval
    }

    var defaultValueDescription: String { Self.text(interval) }

    /// As 7.5 or 30, in milliseconds.
    static func text(_ interval: Microseconds) -> String {
        let (whole, rest) = interval.rawValue.quotientAndRemainder(dividingBy: 1_000)
        guard rest > 0 else { return "\(whole)" }
        var digits = "\(1_000 + rest)".dropFirst()
        while digits.last == "0" { digits.removeLast() }
        return "\(whole).\(digits)"
    }
}
