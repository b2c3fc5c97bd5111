import CoreMetrics
import FleetMetrics
import Testing

@Suite("Metrics")
struct MetricsTests {
    private func lines(_ registry: MetricsRegistry) -> [String] {
        registry.text().text.split(separator: "\n").map(String.init)
            .filter { !$0.contains(FleetMetric.droppedSeries.rawValue) }
    }

    @Test("Each kind of metric, as Prometheus reads it")
    func kinds() {
        let registry = MetricsRegistry()
        registry.counter(.gatewayFailures, "refused").increment(by: 2)
        registry.counter(.gatewayFailures, "refused").increment()
        registry.gauge(.gatewayPlaces).set(8)
        registry.gauge(.gatewayPlaces).decrement(by: 0.5)
        registry.timer(.gatewayPushSeconds, "succeeded").recordMilliseconds(1_500)
        registry.timer(.gatewayPushSeconds, "succeeded").recordSeconds(9_000)
        Recorder(label: "a.b-c", factory: registry).record(2)
        let lines = lines(registry)
        #expect(
            lines.prefix(4) == [
                "# TYPE a_b_c summary", "a_b_c_sum 2", "a_b_c_count 1",
                "# HELP bleota_fleet_gateway_failures_total Pushes that failed, by kind",
            ]
        )
        #expect(lines.contains(#"bleota_fleet_gateway_failures_total{kind="refused"} 3"#))
        #expect(lines.contains("bleota_fleet_gateway_places 7.5"))
        let name = "bleota_fleet_gateway_push_seconds"
        let labels = #"outcome="succeeded""#
        #expect(lines.contains("\(name)_bucket{\(labels),le=\"1\"} 0"))
        #expect(lines.contains("\(name)_bucket{\(labels),le=\"2\"} 1"))
        #expect(lines.contains("\(name)_bucket{\(labels),le=\"3600\"} 1"))
        #expect(lines.contains("\(name)_bucket{\(labels),le=\"+Inf\"} 2"))
        #expect(lines.contains("\(name)_sum{\(labels)} 9001.5"))
        #expect(lines.contains("\(name)_count{\(labels)} 2"))
    }

    @Test("A label can hold any text")
    func labels() {
        var text = MetricsText()
        text.add("x", [("a", "\"\\\n")], "1")
        #expect(text.text == #"x{a="\"\\\n"} 1"# + "\n")
    }

    @Test("A name is of one kind; what comes later under it is dropped, and counted")
    func otherKind() {
        let registry = MetricsRegistry()
        Counter(label: "x", factory: registry).increment()
        Meter(label: "x", factory: registry).set(5)
        #expect(lines(registry) == ["# TYPE x counter", "x 1"])
        let dropped = "\(FleetMetric.droppedSeries.rawValue) 1\n"
        #expect(registry.text().text.hasSuffix(dropped))
    }

    @Test("There is a limit to the series, and a metric that ends makes room")
    func limit() {
        let registry = MetricsRegistry()
        var counters: [Counter] = []
        for number in 0..<MetricsRegistry.seriesMax + 3 {
            let dimensions = [("number", "\(number)")]
            counters.append(Counter(label: "x", dimensions: dimensions, factory: registry))
            counters[number].increment()
        }
        #expect(lines(registry).count == MetricsRegistry.seriesMax + 1)
        for counter in counters.prefix(10) { counter.destroy() }
        #expect(lines(registry).count == MetricsRegistry.seriesMax + 1 - 10)
        Counter(label: "y", factory: registry).increment()
        #expect(lines(registry).last == "y 1")
    }

    @Test("Names have their units, and labels belong to them")
    func names() {
        for metric in FleetMetric.allCases {
            let name = metric.rawValue
            #expect(name.hasPrefix("bleota_fleet_"), "\(name)")
            #expect(name.hasSuffix("_total") == (metric.kind == .counter), "\(name)")
            #expect(name.hasSuffix("_seconds") == (metric.kind == .histogram), "\(name)")
            #expect(metric.labels == metric.labels.sorted(), "\(name)")
            #expect(!metric.help.hasSuffix("."), "\(name)")
        }
    }
}
