import FleetMetrics
import Foundation
import Testing

@Suite("What is written about metrics")
struct MetricsPagesTests {
    /// The folder above the package.
    private static let root = (0..<5).reduce(URL(fileURLWithPath: #filePath)) { path, _ in
        path.deletingLastPathComponent()
    }

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    @Test("The page's table has every metric, with its kind, labels and meaning")
    func table() throws {
        let page = try Self.text("docs/fleet.md")
        for metric in FleetMetric.allCases {
            let labels = metric.labels.map { "`\($0)`" }.joined(separator: ", ")
            let row =
                "| `\(metric.rawValue)` | \(metric.kind.rawValue) | \(labels) | \(metric.help) |"
            #expect(page.contains(row + "\n"), "\(row)")
        }
        let rows = page.split(separator: "\n").filter {
            $0.prefixMatch(of: /\| `bleota_fleet_[a-z_]+` \|/) != nil
        }
        #expect(rows.count == FleetMetric.allCases.count)
    }

    @Test("The dashboard is JSON, and asks only for metrics and labels that exist")
    func dashboard() throws {
        let text = try Self.text("Fleet/docs/dashboard.json")
        let object = try JSONSerialization.jsonObject(with: Data(text.utf8))
        let dashboard = try #require(object as? [String: Any])
        let panels = try #require(dashboard["panels"] as? [[String: Any]])
        let questions = panels.flatMap { panel in
            (panel["targets"] as? [[String: Any]] ?? []).compactMap { $0["expr"] as? String }
        }
        #expect(questions.count >= 10)
        var asked: Set<String> = []
        for question in questions {
            let names = question.matches(of: /bleota_fleet_[a-z_]+/).map { String($0.output) }
            #expect(!names.isEmpty, "\(question)")
            asked.formUnion(names)
            for label in question.matches(of: /by \(([a-z, ]+)\)/) {
                let known = Set(names.compactMap(Self.metric).flatMap(\.labels) + ["le"])
                let labels = label.output.1.split(separator: ", ").map(String.init)
                #expect(known.isSuperset(of: labels), "\(question)")
            }
        }
        for name in asked { #expect(Self.metric(name) != nil, "\(name)") }
    }

    /// The metric of a series: those of a histogram have more names.
    private static func metric(_ name: String) -> FleetMetric? {
        if let metric = FleetMetric(rawValue: name) { return metric }
        for end in ["_bucket", "_sum", "_count"] where name.hasSuffix(end) {
            let metric = FleetMetric(rawValue: String(name.dropLast(end.count)))
            if metric?.kind == .histogram { return metric }
        }
        return nil
    }
}
