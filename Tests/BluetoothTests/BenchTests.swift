import BLEOTA
import BLEOTATestSupport
import Foundation
import Testing

/// `bleota bench` over real Bluetooth stacks, from hci0 to hci1.
@Suite(
    "Measuring a link over Bluetooth",
    .enabled(if: Guest.runs("plain"), "runs in the guest: make test-bluez"),
    .serialized,
    .timeLimit(.minutes(10))
)
struct BenchTests {
    private let place = ToolDirectory()

    @Test("It says where and what it measured, and leaves nothing in the device")
    func measured() async throws {
        let device = try await ReceivingDevice(in: place)
        let result = try await bench("--mtu", "23", "--mtu", "247", "--seconds", "1").end()
        #expect(result.status == 0, "\(result.errors)")
        let events = result.events
        let link = try #require(events.first)
        #expect(link.text("link") == Guest.deviceAddress)
        #expect(link.text("adapter") == Guest.central)
        #expect(link.text("adapterAddress") == Guest.centralAddress)
        #expect(link.text("bluez")?.hasPrefix("5.") == true)
        #expect(link.text("kernel")?.hasPrefix("Linux ") == true)
        let runs = events.filter { $0.name == "run" }
        #expect(runs.count == 6)
        for run in runs {
            #expect(try #require(run.number("bytes")) > 0, "\(run)")
            #expect(run.number("chunkBytes") == (run.number("attMTU") == 23 ? 16 : 240))
        }
        let cells = events.filter { $0.name == "cell" }
        #expect(cells.map { $0.number("attMTU") } == [23, 23, 23, 247, 247, 247])
        let times = cells.last { $0.text("mode") == "auto" }?.fields["timesWithResponse"]
        #expect(try #require(times as? Double) > 0)
        let estimate = try #require(events.first { $0.name == "estimate" })
        #expect(try #require(estimate.fields["requestSeconds"] as? Double) > 0)
        #expect(events.last?.name == "result")
        for event in events where event.name != "result" { print("bench \(event.line)") }
        try await isEmpty(device)
    }

    @Test("Asked to stop, as a system does, it takes back what it sent")
    func stopped() async throws {
        let device = try await ReceivingDevice(in: place)
        let bench = try bench("--seconds", "600", "--size", "67108864")
        try await device.tool.output(within: 120) {
            $0["event"] as? String == "progress" && ($0["bytes"] as? Int ?? 0) > 0
        }
        bench.send(15)
        let result = try await bench.end(within: 60)
        #expect(result.status == 143, "\(result.errors)")
        try await device.tool.output(within: 60) {
            ($0["message"] as? String ?? "").contains("withdrew the transfer")
        }
        try await isEmpty(device)
    }

    private func bench(_ arguments: String...) throws -> RunningTool {
        try RunningTool(
            [
                "bench", "--device", Guest.deviceAddress, "--adapter", Guest.central, "--yes",
                "--repeats", "1", "--json",
            ] + arguments,
            in: place
        )
    }

    /// Ends the device, and looks at what its store has: nothing.
    private func isEmpty(_ device: ReceivingDevice) async throws {
        #expect(try await device.stop().status == 0)
        let kept = FileManager.default.enumerator(atPath: place.store)?.allObjects ?? []
        let names: Set = ["bleota-store", "lock", "images", "incoming"]
        #expect(Set(kept.compactMap { $0 as? String }) == names)
    }
}
