/// Metrics as Prometheus reads them: its text format, version 0.0.4.
package struct MetricsText: Sendable {
    /// The content type of the format.
    package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    package private(set) var text = ""

    package init() {}

    /// Begins a metric. All its samples follow before the next begins.
    package mutating func begin(_ name: String, _ kind: FleetMetric.Kind, help: String?) {
        if let help { text += "# HELP \(name) \(Self.escaped(help, quotes: false))\n" }
        text += "# TYPE \(name) \(kind.rawValue)\n"
    }

    /// Adds a sample of the metric that was begun last.
    package mutating func add(_ name: String, _ labels: [(String, String)], _ value: String) {
        text += name
        if !labels.isEmpty {
            let pairs = labels.map { "\($0.0)=\"\(Self.escaped($0.1, quotes: true))\"" }
            text += "{\(pairs.joined(separator: ","))}"
        }
        text += " \(value)\n"
    }

    /// Adds a metric of the fleet with one sample for each list of its labels' values.
    package mutating func add(_ metric: FleetMetric, _ samples: [(labels: [String], value: Int)]) {
        begin(metric.rawValue, metric.kind, help: metric.help)
        for sample in samples {
            add(metric.rawValue, Array(zip(metric.labels, sample.labels)), "\(sample.value)")
        }
    }

    private static func escaped(_ text: String, quotes: Bool) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": escaped += "\\\\"
            case "\n": escaped += "\\n"
            case "\"" where quotes: escaped += "\\\""
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
