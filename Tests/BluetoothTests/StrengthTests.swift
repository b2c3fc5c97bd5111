import BLEOTA
import BLEOTATestSupport
import Testing

/// A device that is heard better and worse, as over the radio of scripts/guest/radio.py.
@Suite(
    "Signal strength",
    .enabled(if: Guest.runs("slow radio"), "runs in the guest: make test-bluez"),
    .timeLimit(.minutes(10))
)
struct StrengthTests {
    private let place = ToolDirectory()

    @Test("A scan tells how the strength of a device changes")
    func strength() async throws {
        let device = try await ReceivingDevice(in: place)
        let scan = try RunningTool(
            ["scan", "--adapter", Guest.central, "--duration", "60", "--json"],
            in: place
        )
        try await scan.wait(for: "three strengths") {
            let heard = Event.all(in: scan.output).filter {
                $0.text("address") == Guest.deviceAddress
            }
            return Set(heard.compactMap { $0.number("rssi") }).count >= 3
        }
        scan.send(2)
        #expect(try await scan.end(within: 30).status == 130)
        _ = try await device.stop()
    }
}
