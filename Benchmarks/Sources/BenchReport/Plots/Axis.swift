import Foundation

/// An axis: what it shows, from where to where, and the numbers at it.
struct Axis {
    struct Tick {
        let value: Double
        let label: String

        init(value: Double, _ label: String) {
            self.value = value
            self.label = label
        }
    }

    /// With the unit.
    let title: String
    let ticks: [Tick]
    let range: ClosedRange<Double>
    /// Whether equal ratios are as far apart everywhere, not equal differences.
    let isLogarithmic: Bool

    /// An axis of equal steps from 0.
    init(_ title: String, upTo most: Double, steps: Int = 6) {
        self.init(title, upTo: most, stepsOf: Self.roundStep(most / Double(steps)))
    }

    /// An axis of equal steps of a given size, from 0.
    init(_ title: String, upTo most: Double, stepsOf step: Double) {
        self.title = title
        let count = Int((most / step).rounded(.up))
        ticks = (0...count).map { Tick(value: Double($0) * step, Self.label(Double($0) * step)) }
        range = 0...Double(count) * step
        isLogarithmic = false
    }

    /// An axis of equal ratios, with these numbers at it.
    ///
    /// - Parameter margin: by which factor it goes on at either end.
    init(_ title: String, ratiosOf values: [Double], margin: Double = 1) {
        self.title = title
        ticks = values.map { Tick(value: $0, Self.label($0)) }
        range = values[0] / margin...values[values.count - 1] * margin
        isLogarithmic = true
    }

    /// An axis with chosen ticks.
    init(_ title: String, ratios range: ClosedRange<Double>, ticks: [(Double, String)]) {
        self.title = title
        self.ticks = ticks.map { Tick(value: $0.0, $0.1) }
        self.range = range
        isLogarithmic = true
    }

    /// The same without numbers.
    var withoutTicks: Axis { Axis(title, ticks: [], range: range, isLogarithmic: isLogarithmic) }

    private init(_ title: String, ticks: [Tick], range: ClosedRange<Double>, isLogarithmic: Bool) {
        self.title = title
        self.ticks = ticks
        self.range = range
        self.isLogarithmic = isLogarithmic
    }

    /// Where a value lies, from 0 at the beginning to 1 at the end.
    func share(_ value: Double) -> Double {
        guard isLogarithmic else {
            return (value - range.lowerBound) / (range.upperBound - range.lowerBound)
        }
        let value = max(value, range.lowerBound)
        return log(value / range.lowerBound) / log(range.upperBound / range.lowerBound)
    }

    private static func roundStep(_ step: Double) -> Double {
        var power = 1.0
        while power * 10 <= step { power *= 10 }
        while power > step { power /= 10 }
        return [1, 2, 5, 10].map { $0 * power }.first { $0 >= step * 0.999 } ?? step
    }

    private static func label(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }
}
