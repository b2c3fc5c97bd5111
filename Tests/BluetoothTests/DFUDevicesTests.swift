import BLEOTA
import BLEOTATestSupport
import Foundation
import Testing

/// Pushes from hci0 to devices with Nordic's DFU and with Espressif's OTA.
@Suite(
    "Devices with DFU",
    .enabled(if: Guest.runs("devices"), "runs in the guest: scripts/test-bluez.sh dfu"),
    .serialized,
    .timeLimit(.minutes(10))
)
struct DFUDevicesTests {
    private let pushes = DevicePushes()

    /// Pushes a file without an option, and expects that the device then has all of it.
    private func push(
        _ path: String,
        to device: BumbleDevice,
        by name: String
    ) async throws -> ToolResult {
        let result = try await pushes.push(path)
        #expect(result.status == 0, "\(result.errors)\n\(device.process.errors)")
        #expect(result.events.last?.text("protocol") == name)
        #expect(device.violations == [])
        return result
    }

    @Test("A device with Secure DFU jumps to its bootloader, which takes both images of a package")
    func secure() async throws {
        let device = try await BumbleDevice(.secure, in: pushes.place)
        let folder = try await pushes.packages("secure", byteCount: 40_000)
        _ = try await push(folder + "/secure-all.zip", to: device, by: "nordic-dfu")
        #expect(device.events("activated").count == 2)
        let addresses = Set(device.events("connected").compactMap { $0.text("address") })
        #expect(addresses == ["C2:00:00:00:02:01", "C2:00:00:00:02:02"])
        try await device.stop()
        #expect(device.flash?.count == 40_000)
    }

    @Test("Secure DFU resumes after each lost link")
    func secureLostLinks() async throws {
        let losses = [6_000, 21_000, 39_000].flatMap { ["--lose-link-at", "\($0)"] }
        let device = try await BumbleDevice(.secure, in: pushes.place, losses)
        let folder = try await pushes.packages("secure", byteCount: 40_000)
        let result = try await push(
            folder + "/secure-application.zip",
            to: device,
            by: "nordic-dfu"
        )
        #expect(device.events("disconnected").filter { $0.text("by") == "fault" }.count == 3)
        let notices = result.events.filter { $0.name == "notice" }.map(\.line)
        #expect(notices.count == 3, "\(result.output)")
        #expect(device.events("activated").count == 1)
        try await device.stop()
        #expect(device.flash?.count == 40_000)
    }

    @Test(
        "A device with Legacy DFU is updated, with a bootloader and as InfiniTime",
        arguments: [[], ["--infinitime"]]
    )
    func legacy(options: [String]) async throws {
        let device = try await BumbleDevice(.legacy, in: pushes.place, options)
        let folder = try await pushes.packages("legacy", byteCount: 20_000)
        _ = try await push(folder + "/legacy-application.zip", to: device, by: "nordic-dfu")
        #expect(device.events("activated").count == 1)
        try await device.stop()
        #expect(device.flash?.count == 20_000)
    }

    // A sector that is sent again is sent with requests, after the commands for the first ones.
    @Test("Espressif's OTA takes an image whole, though a sector arrives damaged")
    func esp() async throws {
        let device = try await BumbleDevice(
            .esp,
            in: pushes.place,
            ["--commands", "--crc-error-at", "4"]
        )
        let path = try await pushes.packages("images", byteCount: 40_000) + "/esp.bin"
        _ = try await push(path, to: device, by: "esp-ota")
        #expect(device.events("damaged").count == 1)
        #expect(device.events("connected").count == 1)
        try await device.stop()
        let image = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        #expect(device.flash == image)
    }
}
