import BLEOTA
import BLEOTATestSupport
import Testing

@testable import BLEOTAESPOTA

/// Pushes to a device with Espressif's OTA that knows nothing of this code.
@Suite("Espressif's OTA against a device", .needsDevices)
struct ESPDeviceTests {
    @Test(
        "An image arrives whole, by requests and commands, notifications and indications",
        arguments: [[], ["--commands"], ["--commands", "--indicate"], ["--indicate"]],
        [23, 65, 247, 517]
    )
    func whole(arguments: [String], attMTU: Int) async throws {
        let push = try await DevicePush(arguments + ["--mtu", "\(attMTU)"])
        try await push.expectComplete()
        let report = try push.result.get()
        #expect(report.dataFramesResent == 0 && report.reconnectionCount == 0)
        #expect(report.attMTU == attMTU)
        #expect(push.notices == [])
    }

    @Test("Images of any length", arguments: [1, 2, 4_095, 4_096, 4_097, 8_192, 300_000])
    func lengths(byteCount: Int) async throws {
        let image = [0xE9] + [UInt8](repeating: 0x55, count: byteCount - 1)
        let push = try await DevicePush(["--commands", "--window", "4"], image: image)
        try await push.expectComplete(image: image)
    }

    @Test("Several sectors are in flight", arguments: ["1", "3", "64"], [[], ["--commands"]])
    func window(sectorCount: String, arguments: [String]) async throws {
        let push = try await DevicePush(arguments + ["--window", sectorCount])
        try await push.expectComplete()
        #expect(try push.result.get().dataFramesResent == 0)
    }

    @Test("A lost acknowledgement costs no sector", arguments: ["0", "3", "7"], ["0", "4"])
    func lostAcknowledgement(sector: String, window: String) async throws {
        var options = PushOptions()
        options.silenceLimit = .milliseconds(300)
        let arguments = ["--lose-ack-at", sector, "--window", window]
        let push = try await DevicePush(arguments, options: options)
        try await push.expectComplete()
        #expect(push.device.events.contains { $0.name == "dropped" })
        #expect(try push.result.get().dataFramesResent == 0)
    }

    @Test(
        "A sector with a CRC error is sent again",
        arguments: [0, 3, 7],
        [[], ["--window", "4"], ["--commands", "--window", "4"]]
    )
    func crcError(sector: Int, arguments: [String]) async throws {
        let push = try await DevicePush(arguments + ["--crc-error-at", "\(sector)"])
        try await push.expectComplete()
        let start = sector * 4_096
        #expect(
            push.notices == ["firmware arrived damaged, and is sent again from byte \(start)"]
        )
        #expect(try push.result.get().dataFramesResent > 0)
    }

    @Test("Write commands that are lost on their way are sent again", arguments: ["1", "2", "3"])
    func commandLoss(seed: String) async throws {
        let arguments = ["--commands", "--window", "4", "--drop-commands", "0.02", "--seed", seed]
        let push = try await DevicePush(arguments)
        try await push.expectComplete()
        #expect(push.reconnectionCount == 0)
    }

    @Test("After a lost link the image begins anew", arguments: ["5", "5000", "20000", "29990"])
    func lostLink(byte: String) async throws {
        let push = try await DevicePush(["--lose-link-at", byte])
        try await push.expectComplete()
        #expect(push.reconnectionCount == 1)
        #expect(push.notices == ["the image is sent again from the beginning"])
    }

    @Test("A device that keeps its sectors over a lost link goes on there")
    func keptSectors() async throws {
        let push = try await DevicePush(["--lose-link-at", "20000", "--keeps-sectors"])
        try await push.expectComplete()
        #expect(push.reconnectionCount == 1)
        #expect(push.notices == ["the device has the first 16384 bytes"])
        #expect(try push.result.get().dataByteCount < 40_000)
    }

    @Test("Links that are lost again and again")
    func lostLinks() async throws {
        let points = (1...6).flatMap { ["--lose-link-at", "\($0 * 5_000)"] }
        let push = try await DevicePush(points + ["--keeps-sectors"])
        try await push.expectComplete()
        #expect(push.reconnectionCount == 6)
    }

    @Test("Sectors that another push has left are forgotten")
    func otherPush() async throws {
        let device = try await DevicePush.device(["--lose-link-at", "20000", "--keeps-sectors"])
        var options = PushOptions()
        options.reconnectionLimit = .zero
        let other = [0xE9] + [UInt8](repeating: 1, count: 40_000)
        let first = try await DevicePush(to: device, image: other, options: options)
        #expect(first.error?.code == .linkLost && first.error?.isRetryable == true)
        let second = try await DevicePush(to: device)
        try await second.expectComplete()
        #expect(
            second.notices == [
                "the device was in the middle of another update, and is told to discard it"
            ]
        )
    }

    @Test("A device that restarts without a stop", arguments: ["0", "4"])
    func restartsByItself(window: String) async throws {
        let push = try await DevicePush(["--restart-without-stop", "--window", window])
        try await push.expectComplete()
        #expect(push.reconnectionCount == 0)
    }

    @Test("A device that erases for long, and restarts for long")
    func slow() async throws {
        let push = try await DevicePush(["--erase-ms", "4000", "--reset-ms", "300"])
        try await push.expectComplete()
    }

    @Test("A full flash is named", arguments: [["--full"], ["--flash-size", "20000"]])
    func full(arguments: [String]) async throws {
        let push = try await DevicePush(arguments)
        let refusal = try #require(push.refusal)
        #expect(refusal.code == "ESP OTA, start rejected")
        #expect(refusal.remedy.contains("fits in the device's OTA partition"))
        #expect(push.error?.code == .refused && push.error?.isRetryable == false)
        #expect(!push.device.events.contains { $0.name == "activated" })
        push.expectNoViolation()
    }

    @Test("A device without the service is named")
    func otherDevice() async throws {
        let device = try await PythonDevice("secure_dfu_device.py", ["--in-bootloader"])
        let push = try await DevicePush(to: device)
        #expect(push.error?.code == .protocolViolated)
        #expect(push.error?.description.contains("lacks Espressif's OTA service") == true)
        push.expectNoViolation()
    }

    @Test("A cancelled push ends at once, and another succeeds")
    func cancelled() async throws {
        let device = try await DevicePush.device(["--slow", "30"])
        let push = Task { try await DevicePush(to: device) }
        try await device.waitForEvent("started")
        push.cancel()
        #expect(try await push.value.error?.code == .cancelled)
        let second = try await DevicePush(to: device)
        try await second.expectComplete()
    }
}
