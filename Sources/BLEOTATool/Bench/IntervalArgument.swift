import ArgumentParser
import BLEOTA
import BLEOTACore
import BLEOTASimulation

/// A connection interval in milliseconds: 0.375 to 4,000, in steps of 0.125.
struct IntervalArgument {
    let interval: Microseconds

    init(_ interval: Microseconds) { self.interval = interval }

    init(text: String) throws {
        let isNumber = text.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2E }
        guard isNumber, let milliseconds = Double(text), milliseconds <= 4_000,
            let interval = Self.interval(ofMilliseconds: milliseconds),
            ConnectionIntervals.contains(interval)
        else {
            throw ValidationError(
                "an interval must be 0.375 to 4000 ms in steps of 0.125, not \(text)"
            )
        }
        self.interval = interval
    }

    /// The interval as a whole number of microseconds; `nil` if it is not whole.
    private static func interval(ofMilliseconds milliseconds: Double) -> Microseconds? {
        let rounded = (milliseconds * 1_000).rounded()
        guard abs(milliseconds * 1_000 - rounded) < 1e-6 else { return nil }
        return Microseconds(Int64(rounded))
    }

    /// The interval in milliseconds, such as `7.5` or `30`.
    static func text(_ interval: Microseconds) -> String {
        let (whole, rest) = interval.rawValue.quotientAndRemainder(dividingBy: 1_000)
        guard rest > 0 else { return "\(whole)" }
        var digits = "\(1_000 + rest)".dropFirst()
        while digits.last == "0" { digits.removeLast() }
        return "\(whole).\(digits)"
    }
}
