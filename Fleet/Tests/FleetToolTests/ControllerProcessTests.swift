import FleetControl
import FleetMetrics
import FleetModel
import FleetStore
import FleetTestSupport
import Testing

@testable import FleetTool

@Suite(
    "bleota-fleet controller",
    .enabled(if: TestServer.isThere, "\(TestServer.isMissing)")
)
struct ControllerProcessTests {
    /// The active one didn't say its name, by which the other one knew it.
    @Test("Two controllers name each other, so that their logs can be matched")
    func names() async throws {
        let office = try await Office()
        func start(_ name: String) throws -> (ChildProcess, String) {
            let output = office.server.folder.path(name)
            return (try office.start(["controller"], output: output), output)
        }
        func text(_ output: String) -> String {
            String(decoding: TestFolder.read(output) ?? [], as: UTF8.self)
        }
        let (first, firstLog) = try start("first.log")
        try await eventually("one is active") { text(firstLog).contains("is active") }
        let active = try #require(text(firstLog).firstMatch(of: /controller-[0-9a-f]+/)).output
        #expect(text(firstLog).contains("this controller, \(active), is active\n"))
        let (second, secondLog) = try start("second.log")
        try await eventually("the other one waits") { text(secondLog).contains("waits") }
        #expect(text(secondLog).hasPrefix("\(active) is active; this controller, controller-"))
        for controller in [second, first] {
            controller.terminate()
            #expect(try await controller.end() == 0)
        }
    }

    /// A version that was heard long after an update was called another update, and counted as one.
    @Test("The log calls only the end of a job an update; a version that was heard is \"heard\"")
    func words() throws {
        let (now, plan) = (SystemTime.moment, Sample.plan())
        var records = [Sample.device("attic")]
        func change(_ body: (inout DeviceRecord) -> Void) {
            var record = records[records.count - 1]
            body(&record)
            records.append(record)
        }
        change { _ = $0.assign(plan.id, at: now) }
        change { _ = $0.lend(to: Sample.east, at: now, plan.retries) }
        change {
            let report = Report(campaign: plan.id, turn: Turn(1), .succeeded)
            $0.take(report, by: Sample.east, at: now, for: plan)
        }
        change { $0.version = FirmwareVersion(3, 0, 0) }
        change { $0.key = DeviceKey([UInt8](repeating: 1, count: 32)) }
        let events = records.indices.map { index in
            ControllerEvent.wrote(records[index], after: index > 0 ? records[index - 1] : nil)
        }
        let name = try #require(ControllerID("controller-1"))
        let display = ControllerDisplay(isJSON: false, name: name)
        #expect(
            events.map(display.words) == [
                nil, nil, "attic  lent to east", "attic  updated to 2.0.0",
                "attic  heard with version 3.0.0", nil,
            ]
        )
        let metrics = ControllerMetrics(MetricsRegistry())
        for event in events { metrics.count(event) }
        let text = metrics.registry.text().text
        #expect(text.contains("bleota_fleet_controller_loans_total 1\n"))
        #expect(text.contains(#"controller_outcomes_total{outcome="succeeded"} 1"# + "\n"))
    }
}
