import BLEOTA
import BLEOTATestSupport
import Foundation
import Testing

/// Pushes from hci0 to devices that speak another maker's protocol, and updates of a receiver by
/// another maker's client.
@Suite(
    "Other makers' devices",
    .enabled(if: Guest.runs("devices"), "runs in the guest: scripts/test-bluez.sh devices"),
    .serialized,
    .timeLimit(.minutes(10))
)
struct OtherDevicesTests {
    private let pushes = DevicePushes()
    private var place: ToolDirectory { pushes.place }

    /// An image of MCUboot, which a program that is not ours has made.
    private func image(byteCount: Int = 100_000) async throws -> (path: String, bytes: [UInt8]) {
        let path = try await pushes.packages("images", byteCount: byteCount) + "/mcuboot-2.0.0.bin"
        return (path, [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))))
    }

    @Test("A push needs no option to update a device with SMP, which then runs the image")
    func smp() async throws {
        let device = try await BumbleDevice(.smp, in: place, ["--erase-ms", "300"])
        let scan = try RunningTool(
            [
                "scan", "--adapter", Guest.central, "--name", BumbleDevice.name, "--duration", "60",
                "--json",
            ],
            in: place
        )
        try await scan.output { ($0["protocols"] as? [String]) == ["smp"] }
        try await scan.interrupt()

        let (path, bytes) = try await image()
        let result = try await pushes.push(path)
        #expect(result.status == 0, "\(result.errors)\n\(device.process.errors)")
        let end = try #require(result.events.last)
        #expect(end.text("protocol") == "smp")
        let states = result.events.filter { $0.name == "device" }.map { $0.text("state") }
        #expect(states == ["onTrial", "confirmed"])
        #expect(device.events("confirmed").count == 1)
        #expect(device.violations == [])

        let list = try await pushes.running("device", "images").end()
        #expect(list.status == 0, "\(list.errors)")
        let slots = list.events.filter { $0.name == "slot" }
        #expect(slots.map { $0.text("version") } == ["2.0.0", "1.0.0"], "\(list.output)")
        #expect(slots.first?.fields["active"] as? Bool == true)
        #expect(slots.first?.fields["confirmed"] as? Bool == true)

        let again = try await pushes.push(path)
        #expect(again.status == 0, "\(again.errors)")
        #expect(device.events("complete").count == 1)
        try await device.stop()
        #expect(device.flash == bytes)
    }

    @Test("A push goes on after each lost link")
    func lostLinks() async throws {
        let losses = [9_000, 45_000, 90_000]
        let options = losses.flatMap { ["--lose-link-at", "\($0)"] }
        let device = try await BumbleDevice(.smp, in: place, options)
        let (path, bytes) = try await image()
        let result = try await pushes.push(path, "--timeout", "120")
        #expect(result.status == 0, "\(result.errors)\n\(device.process.errors)")
        #expect(device.events("disconnected").filter { $0.text("by") == "fault" }.count == 3)
        let resumed = device.events("resumed").compactMap { $0.number("offset") }
        #expect(resumed.count == 3, "\(resumed)")
        #expect(device.events("erased").count == 1)
        #expect(device.violations == [])
        try await device.stop()
        #expect(device.flash == bytes)
    }

    @Test("A push outlives a power cut of the device in mid-transfer")
    func cut() async throws {
        let device = try await BumbleDevice(.smp, in: place)
        let (path, bytes) = try await image()
        let push = try pushes.running("push", path, "--timeout", "120")
        try await push.hasStored(byteCount: 30_000)
        try await device.cutPower()
        let result = try await push.end(within: 240)
        pushes.report(result, ["with a power cut"])
        #expect(result.status == 0, "\(result.errors)\n\(device.process.errors)")
        #expect(device.events("confirmed").count == 1)
        #expect(device.violations == [])
        try await device.stop()
        #expect(device.flash == bytes)
    }

    @Test("A file that a device with SMP can't use is refused before a byte of it is sent")
    func wrongFile() async throws {
        let device = try await BumbleDevice(.smp, in: place)
        let result = try await pushes.push(place.image(20_000))
        #expect(result.status == 65, "\(result.status) \(result.errors)")
        #expect(result.errors.contains("imgtool sign"), "\(result.errors)")
        #expect(device.events("erased").isEmpty)
        try await device.stop()
    }

    @Test("smpclient updates a receiver with SMP", arguments: ["bundle", "MCUboot image"])
    func smpclient(kind: String) async throws {
        let (mcuboot, bytes) = try await image(byteCount: 40_000)
        var upload = mcuboot
        if kind == "bundle" {
            try await place.generateKey()
            try await place.sign(mcuboot, as: "image.bleota")
            upload = place.path("image.bleota")
        }
        let device = try await ReceivingDevice(in: place, "--name", "kitchen", "--smp")
        try await smpclientIsKilled(sending: upload)
        let result = try await startSMPClient(sending: upload).end(within: 240)
        let steps = result.events.filter { $0.name != "uploaded" }.map(\.line)
        print("smpclient with a \(kind): \(steps.joined(separator: ", "))")
        #expect(result.status == 0, "\(result.output)\(result.errors)\(device.tool.errors)")
        #expect(result.events.last?.name == "done")
        let offsets = result.events.compactMap { $0.number("offset") }
        #expect(offsets.first ?? 0 > 5_000, "\(offsets)")
        try await device.tool.wait(for: "the image") { device.current == bytes }
        let names = Event.all(in: device.tool.output).compactMap(\.name)
        #expect(names.contains("staged") && names.contains("marked"), "\(names)")
        #expect(try await device.stop().status == 0)
    }

    private func startSMPClient(sending file: String) async throws -> RunningTool {
        try await UsesPython.forgetDevice()
        return try UsesPython.run("smp_client.py", [Guest.deviceAddress, file], in: place)
    }

    /// The link is lost in the middle of the upload, which the next client resumes.
    private func smpclientIsKilled(sending file: String) async throws {
        let client = try await startSMPClient(sending: file)
        try await client.output { ($0["offset"] as? Int ?? 0) > 10_000 }
        client.send(9)
        _ = try await client.end(within: 30)
    }
}
