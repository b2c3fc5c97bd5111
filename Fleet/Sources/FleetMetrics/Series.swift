import CoreMetrics
import Synchronization

/// The numbers of a metric with certain labels.
protocol Series: AnyObject, Sendable {
    /// Writes the numbers as samples.
    func write(_ name: String, _ labels: [(String, String)], to text: inout MetricsText)
}

/// A number that only grows.
final class CounterSeries: Series, CounterHandler {
    private let count = Atomic<Int64>(0)

    func increment(by amount: Int64) {
        precondition(amount >= 0, "a counter never falls")
        count.wrappingAdd(amount, ordering: .relaxed)
    }

    func reset() { count.store(0, ordering: .relaxed) }

    func write(_ name: String, _ labels: [(String, String)], to text: inout MetricsText) {
        text.add(name, labels, "\(count.load(ordering: .relaxed))")
    }
}

/// A number that grows and falls.
final class GaugeSeries: Series, MeterHandler, RecorderHandler {
    private let value = Mutex(0.0)

    func set(_ value: Int64) { set(Double(value)) }
    func set(_ value: Double) { self.value.withLock { $0 = value } }
    func increment(by amount: Double) { value.withLock { $0 += amount } }
    func decrement(by amount: Double) { value.withLock { $0 -= amount } }
    func record(_ value: Int64) { set(value) }
    func record(_ value: Double) { set(value) }

    func write(_ name: String, _ labels: [(String, String)], to text: inout MetricsText) {
        text.add(name, labels, value.withLock { $0 }.sample)
    }
}

/// The sum and the number of values.
final class SummarySeries: Series, RecorderHandler {
    private let state = Mutex((sum: 0.0, count: UInt64(0)))

    func record(_ value: Int64) { record(Double(value)) }
    func record(_ value: Double) { state.withLock { $0 = ($0.sum + value, $0.count + 1) } }

    func write(_ name: String, _ labels: [(String, String)], to text: inout MetricsText) {
        let state = state.withLock { $0 }
        text.add(name + "_sum", labels, state.sum.sample)
        text.add(name + "_count", labels, "\(state.count)")
    }
}

/// Durations in seconds, counted by range.
final class DurationSeries: Series, TimerHandler {
    /// The upper ends of the ranges. A push of a small image takes seconds, one of the largest over
    /// a slow link an hour.
    static let bounds = [1.0, 2, 5, 10, 20, 60, 120, 300, 600, 1_800, 3_600]

    private struct State {
        /// The values in each range, and those beyond the last.
        var counts = [UInt64](repeating: 0, count: bounds.count + 1)
        var sum = 0.0
    }

    private let state = Mutex(State())

    func recordNanoseconds(_ duration: Int64) {
        let seconds = Double(duration) / 1e9
        let range = Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count
        state.withLock { state in
            state.counts[range] += 1
            state.sum += seconds
        }
    }

    func write(_ name: String, _ labels: [(String, String)], to text: inout MetricsText) {
        let state = state.withLock { $0 }
        var count: UInt64 = 0
        let ends = Self.bounds.map(\.sample) + ["+Inf"]
        for (end, number) in zip(ends, state.counts) {
            count += number
            text.add(name + "_bucket", labels + [("le", end)], "\(count)")
        }
        text.add(name + "_sum", labels, state.sum.sample)
        text.add(name + "_count", labels, "\(count)")
    }
}

extension Double {
    /// The number as Prometheus reads it.
    fileprivate var sample: String {
        if isNaN { return "NaN" }
        if isInfinite { return self < 0 ? "-Inf" : "+Inf" }
        // A whole number without ".0" reads better; above 2^53 it might not be whole.
        return magnitude < 9e15 && self == rounded() ? "\(Int64(self))" : "\(self)"
    }
}
