import BLEOTA
import BLEOTATestSupport
import Testing

/// Pushes to two devices, hci1 and hci2, one after the other.
@Suite(
    "Several devices",
    .enabled(if: Guest.runs("controllers=3"), "runs in the guest: make test-bluez"),
    .serialized,
    .timeLimit(.minutes(10))
)
struct SeveralDevicesTests {
    private let place = ToolDirectory()
    private let otherPlace = ToolDirectory()

    /// `kitchen` on hci1 and `cellar` on hci2.
    private func devices() async throws -> (ReceivingDevice, ReceivingDevice) {
        (
            try await ReceivingDevice(in: place, "--name", "kitchen"),
            try await ReceivingDevice(
                in: otherPlace,
                adapter: Guest.otherDevice,
                "--name",
                "cellar"
            )
        )
    }

    @Test("Two devices get an image in turn")
    func inTurn() async throws {
        let (first, second) = try await devices()
        let image = place.image(100_000)
        let push = try RunningTool(
            [
                "push", image, "--device", "kitchen", "--device", Guest.otherDeviceAddress,
                "--adapter", Guest.central, "--json",
            ],
            in: place
        )
        let result = try await push.end(within: 240)
        #expect(result.status == 0, "\(result.errors)")
        #expect(first.current == place.bytes("image.bin"))
        #expect(second.current == place.bytes("image.bin"))
        let results = result.events.filter { $0.name == "result" }
        #expect(
            Set(results.compactMap { $0.text("device") })
                == ["kitchen", Guest.otherDeviceAddress]
        )
        // In turn the second begins when the first is done.
        let devices = result.events.compactMap { $0.text("device") }
        let changes = zip(devices, devices.dropFirst()).filter { $0 != $1 }.count
        #expect(changes == 1)
        _ = try await first.stop()
        _ = try await second.stop()
    }

    @Test("Of two devices one is not there: the other gets the image, and the exit code says so")
    func oneMissing() async throws {
        let device = try await ReceivingDevice(in: place, "--name", "kitchen")
        let image = place.image(20_000)
        let result = try await place.run(
            "push",
            image,
            "--device",
            "nobody",
            "--device",
            "kitchen",
            "--adapter",
            Guest.central
        )
        #expect(result.status == 69, "\(result.status) \(result.errors)")
        #expect(result.errors.contains("1 of 2 devices failed"), "\(result.errors)")
        #expect(device.current == place.bytes("image.bin"))
        _ = try await device.stop()
    }

    @Test("Without a name, two devices in range are a question, not a choice")
    func several() async throws {
        let (first, second) = try await devices()
        // One report of each is all that an emulated controller makes of an advertisement.
        var result = try await place.run("push", place.image(20_000), "--adapter", Guest.central)
        for _ in 0..<5 where result.status == 0 {
            result = try await place.run("push", place.image(20_000), "--adapter", Guest.central)
        }
        #expect(result.status != 0)
        #expect(result.isOneSentence, "\(result.errors)")
        for name in ["kitchen", "cellar"] { #expect(result.errors.contains(name)) }
        print("use: two in range: \(result.status) \(result.errors)")
        _ = try await first.stop()
        _ = try await second.stop()
    }
}
