package import CoreMetrics
import Synchronization

/// A backend of swift-metrics that gives the numbers to Prometheus when it asks.
///
/// Two metrics with the same name and labels are the same numbers.
package final class MetricsRegistry: MetricsFactory {
    /// The series of one process. A fleet's programs have some dozens; a label that grows without
    /// end costs no more than 4,096 of about 300 bytes.
    package static let seriesMax = 4_096

    private struct Family {
        let kind: FleetMetric.Kind
        var series: [[String]: (labels: [(String, String)], numbers: any Series)] = [:]
    }

    private struct State {
        var families: [String: Family] = [:]
        var count = 0
        var droppedCount = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// All numbers in Prometheus's text format, ordered by name.
    package func text() -> MetricsText {
        var text = MetricsText()
        write(to: &text)
        return text
    }

    /// Adds all numbers to a text.
    package func write(to text: inout MetricsText) {
        let (families, droppedCount) = state.withLock { ($0.families, $0.droppedCount) }
        for (name, family) in families.sorted(by: { $0.key < $1.key }) {
            text.begin(name, family.kind, help: FleetMetric(rawValue: name)?.help)
            let series = family.series.sorted { $0.key.lexicographicallyPrecedes($1.key) }
            for (_, entry) in series { entry.numbers.write(name, entry.labels, to: &text) }
        }
        text.add(.droppedSeries, [([], droppedCount)])
    }

    // MARK: - swift-metrics

    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        series(label, dimensions, .counter) { CounterSeries() } ?? NOOPMetricsHandler.instance
    }

    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        series(label, dimensions, .gauge) { GaugeSeries() } ?? NOOPMetricsHandler.instance
    }

    package func makeRecorder(
        label: String,
        dimensions: [(String, String)],
        aggregate: Bool
    ) -> any RecorderHandler {
        if aggregate {
            series(label, dimensions, .summary) { SummarySeries() }
                ?? NOOPMetricsHandler.instance
        } else {
            series(label, dimensions, .gauge) { GaugeSeries() } ?? NOOPMetricsHandler.instance
        }
    }

    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        series(label, dimensions, .histogram) { DurationSeries() }
            ?? NOOPMetricsHandler.instance
    }

    package func destroyCounter(_ handler: any CounterHandler) { remove(handler) }
    package func destroyMeter(_ handler: any MeterHandler) { remove(handler) }
    package func destroyRecorder(_ handler: any RecorderHandler) { remove(handler) }
    package func destroyTimer(_ handler: any TimerHandler) { remove(handler) }

    // MARK: - Series

    /// The series of these labels, which is made if need be; `nil` if there are too many, or the
    /// name is that of another kind.
    private func series<Numbers: Series>(
        _ label: String,
        _ dimensions: [(String, String)],
        _ kind: FleetMetric.Kind,
        _ make: () -> Numbers
    ) -> Numbers? {
        let name = Self.name(label)
        let labels = dimensions.map { (Self.name($0.0), $0.1) }.sorted { $0.0 < $1.0 }
        let key = labels.flatMap { [$0.0, $0.1] }
        return state.withLock { state in
            var family = state.families[name] ?? Family(kind: kind)
            if let known = family.series[key] {
                if let numbers = known.numbers as? Numbers { return numbers }
            } else if family.kind == kind, state.count < Self.seriesMax {
                let numbers = make()
                family.series[key] = (labels, numbers)
                state.families[name] = family
                state.count += 1
                return numbers
            }
            state.droppedCount += 1
            return nil
        }
    }

    private func remove(_ handler: AnyObject) {
        state.withLock { state in
            for (name, family) in state.families {
                for (key, entry) in family.series where entry.numbers === handler {
                    state.families[name]?.series[key] = nil
                    state.count -= 1
                    if family.series.count == 1 { state.families[name] = nil }
                }
            }
        }
    }

    /// A name in which Prometheus allows every character: letters, digits and `_`, of which the
    /// first is no digit.
    private static func name(_ text: String) -> String {
        var name = ""
        for scalar in text.unicodeScalars {
            let isAllowed = scalar.isASCII && (scalar.properties.isAlphabetic || scalar == "_")
            let isDigit = ("0"..."9").contains(scalar) && !name.isEmpty
            name.unicodeScalars.append(isAllowed || isDigit ? scalar : "_")
        }
        return name.isEmpty ? "_" : name
    }
}

extension MetricsRegistry {
    package func counter(_ metric: FleetMetric, _ values: String...) -> Counter {
        Counter(label: metric.rawValue, dimensions: metric.dimensions(values), factory: self)
    }

    package func gauge(_ metric: FleetMetric, _ values: String...) -> Meter {
        Meter(label: metric.rawValue, dimensions: metric.dimensions(values), factory: self)
    }

    package func timer(_ metric: FleetMetric, _ values: String...) -> Timer {
        Timer(label: metric.rawValue, dimensions: metric.dimensions(values), factory: self)
    }
}

extension FleetMetric {
    fileprivate func dimensions(_ values: [String]) -> [(String, String)] {
        precondition(values.count == labels.count, "\(rawValue) has the labels \(labels)")
        return Array(zip(labels, values))
    }
}
