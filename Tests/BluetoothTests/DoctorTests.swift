import BLEOTA
import BLEOTATestSupport
import Foundation
import Testing

/// What the doctor finds with a real daemon, and with a device.
@Suite(
    "The doctor",
    .enabled(if: Guest.runs("plain"), "runs in the guest: make test-bluez"),
    .serialized,
    .timeLimit(.minutes(10))
)
struct DoctorTests {
    private let place = ToolDirectory()

    private func found(_ result: ToolResult, _ subject: String) -> String? {
        result.events.first { $0.text("subject") == subject }?.text("found")
    }

    private func grade(_ result: ToolResult, _ subject: String) -> String? {
        result.events.first { $0.text("subject") == subject }?.text("grade")
    }

    @Test("Without a device: the daemon's release, both adapters, the settings with their remedies")
    func machine() async throws {
        let result = try await place.run("doctor", "--json")
        #expect(result.status == 0, "\(result.output)\(result.errors)")
        #expect(found(result, "daemon")?.hasPrefix("BlueZ 5.") == true)
        for adapter in [Guest.central, Guest.device] {
            #expect(grade(result, adapter) == "ok", "\(result.output)")
        }
        let channels = try #require(result.events.first { $0.text("subject") == "GATT channels" })
        // The later release has one channel by default.
        if Guest.isOfLaterRelease {
            #expect(channels.text("grade") == "ok")
        } else {
            #expect(channels.text("grade") == "note")
            #expect(channels.text("remedy")?.contains("Channels = 1") == true)
        }
        #expect(grade(result, "device") == "note")
    }

    @Test("With a device: that it runs bleota, its MTU, the socket, the order, the round trip")
    func device() async throws {
        let device = try await ReceivingDevice(in: place, "--name", "kitchen")
        let result = try await place.run(
            "doctor",
            "--device",
            "kitchen",
            "--adapter",
            Guest.central,
            "--json"
        )
        #expect(result.status == 0, "\(result.output)\(result.errors)")
        #expect(found(result, "device")?.contains("runs bleota") == true, "\(result.output)")
        #expect(result.events.last { $0.text("subject") == "ATT_MTU" }?.text("found") == "517")
        #expect(grade(result, "AcquireWrite") == "ok")
        #expect(grade(result, "order") == (Guest.isOfLaterRelease ? "ok" : "note"))
        let trip = try #require(found(result, "round trip"))
        print("use: the doctor's round trip: \(trip)")
        _ = try await device.stop()
    }

    @Test("An adapter that is off is in the way: 69, with the command that switches it on")
    func off() async throws {
        try await Guest.switchAdapter(Guest.device, on: false)
        let result = try await place.run("doctor")
        try await Guest.switchAdapter(Guest.device, on: true)
        #expect(result.status == 69)
        #expect(result.output.contains("bluetoothctl power on"), "\(result.output)")
        #expect(result.isOneSentence, "\(result.errors)")
    }
    @Test(
        "With the settings of the page about Bluetooth the doctor notes nothing more of them",
        .enabled(if: Guest.isEmulated, "changes the daemon's settings")
    )
    func settings() async throws {
        let page = try String(contentsOfFile: "docs/bluetooth.md", encoding: .utf8)
        let block = try #require(page.firstMatch(of: /```ini\n(\[GATT\][^`]*)```/))
        var section = ""
        var count = 0
        for line in block.1.split(separator: "\n") {
            if line.hasPrefix("[") {
                section = String(line.dropFirst().dropLast())
            } else {
                let setting = line.filter { $0 != " " }
                try await Guest.run("guest-bluetoothd", "set", "\(section).\(setting)")
                count += 1
            }
        }
        #expect(count == 3)
        try await Guest.restartDaemon()
        let result = try await place.run("doctor", "--json")
        for subject in ["GATT channels", "connection interval"] {
            #expect(grade(result, subject) == "ok", "\(result.output)")
        }
        let device = try await ReceivingDevice(in: place)
        let push = try await place.pushing(place.image(20_000)).end(within: 120)
        #expect(push.status == 0, "\(push.errors)")
        _ = try await device.stop()
    }
}
