import BLEOTA
import BLEOTABlueZ
import BLEOTATestSupport
import BlueZ
import Testing

/// Pushes over real Bluetooth stacks, from hci0 to hci1.
@Suite(
    "Pushing over Bluetooth",
    .enabled(if: Guest.runs("plain"), "runs in the guest: make test-bluez"),
    .serialized,
    .timeLimit(.minutes(10))
)
struct PushTests {
    private let place = ToolDirectory()

    /// 256 KiB of real firmware, other ones each round: the device keeps two images, of which
    /// nothing would be sent.
    private func firmware(_ round: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        for name in ["bios-256k.bin", "bios.bin", "bios-microvm.bin"] {
            let path = "seabios/usr/share/seabios/\(name)"
            bytes += try #require(RealFirmware.bytes(path), "no \(path)")
        }
        try #require(bytes.count == 2 * 262_144)
        return Array(bytes[(round * 20_000)...].prefix(262_144))
    }

    @Test(
        "Ten pushes of 256 KiB of firmware without response and three with arrive whole, in a row",
        .enabled(if: RealFirmware.folder != nil, "BLEOTA_FIRMWARE_DIR names no folder")
    )
    func inARow() async throws {
        let device = try await ReceivingDevice(in: place)
        for round in 0..<13 {
            let hasResponse = round >= 10
            let image = place.write(try firmware(round), to: "image\(round)")
            let mode = hasResponse ? "with-response" : "without-response"
            let result = try await place.pushing(image, "--write-mode", mode).end(within: 120)
            #expect(result.status == 0, "\(round): \(result.errors)")
            let last = try #require(result.events.last)
            #expect(last.fields["verified"] as? Bool == true)
            #expect(last.text("writeMode") == mode)
            #expect(device.current == place.bytes("image\(round)"))
            // Blocks that it shares with the image before are there: long runs of one byte.
            let held = try #require(last.number("resumedFromByte"))
            #expect(held < 131_072)
            print("push \(round): \(last.line)")
        }
        #expect(try await device.stop().status == 0)
    }

    @Test("Without a target the image goes to the one device that runs bleota")
    func onlyOne() async throws {
        let device = try await ReceivingDevice(in: place, "--name", "kitchen")
        let image = place.image(20_000)
        let result = try await place.run("push", image, "--adapter", Guest.central, "--json")
        #expect(result.status == 0, "\(result.errors)")
        #expect(device.current == place.bytes("image.bin"))
        _ = try await device.stop()
    }

    @Test("A device that another program has connected is the one, though it advertises no more")
    func connectedAlready() async throws {
        let device = try await ReceivingDevice(in: place)
        let client = try await BlueZClient.open(within: .seconds(30))
        defer { client.close() }
        let central = try await UsesPeripheral.connected(from: client)
        let result = try await place.run(
            "push",
            place.image(20_000),
            "--adapter",
            Guest.central,
            "--json"
        )
        #expect(result.status == 0, "\(result.errors)")
        #expect(device.current == place.bytes("image.bin"))
        try await central.disconnect()
        _ = try await device.stop()
    }

    @Test("Frames that are lost, sent twice and damaged on purpose cost frames, not the image")
    func damaged() async throws {
        let device = try await ReceivingDevice(in: place)
        let result = try await place.pushing(
            place.image(65_536),
            ["--loss", "2%", "--corrupt", "1%", "--duplicate", "1%", "--seed", "7"]
        ).end(within: 120)
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.events.last?.fields["verified"] as? Bool == true)
        #expect(try #require(result.events.last?.number("dataFramesResent")) > 0)
        #expect(device.current == place.bytes("image.bin"))
        _ = try await device.stop()
    }

    @Test("A device is found by its name, and one that is not there is not")
    func names() async throws {
        let device = try await ReceivingDevice(in: place, "--name", "kitchen")
        let image = place.image(20_000)
        let found = try await place.run(
            "push",
            image,
            "--device",
            "kitchen",
            "--adapter",
            Guest.central,
            "--json"
        )
        #expect(found.status == 0, "\(found.errors)")
        #expect(device.current == place.bytes("image.bin"))
        let missing = try await place.run(
            "push",
            image,
            "--device",
            "cellar",
            "--adapter",
            Guest.central
        )
        #expect(missing.status == 69)
        #expect(missing.isOneSentence, "\(missing.errors)")
        _ = try await device.stop()
    }

    @Test("A pull brings what the device offers")
    func pull() async throws {
        let offer = place.image(100_000, name: "crash.log")
        let device = try await ReceivingDevice(in: place, "--offer", offer)
        let result = try await place.run(
            "pull",
            "crash.log",
            "--device",
            Guest.deviceAddress,
            "--adapter",
            Guest.central,
            "--output",
            place.path("copy"),
            "--json"
        )
        #expect(result.status == 0, "\(result.errors)")
        #expect(place.bytes("copy") == place.bytes("crash.log"))
        _ = try await device.stop()
    }

    @Test("A push that is asked to stop, as a system does, stops at once, and goes on later")
    func stopped() async throws {
        let device = try await ReceivingDevice(in: place)
        let image = place.image(4 << 20)
        let first = try place.pushing(image)
        try await first.hasStored(byteCount: 65_536)
        first.send(15)
        let stopped = try await first.end(within: 30)
        #expect(stopped.status == 143, "\(stopped.errors)")
        // A part of it later, and all of a smaller one: what counts is where it begins.
        let second = try place.pushing(image)
        try await device.hasResumed(fromByte: 65_536)
        second.send(15)
        _ = try await second.end(within: 30)
        _ = try await device.stop()
    }

    @Test("A pull that was killed goes on from what it has")
    func killedPull() async throws {
        let offer = place.image(524_288, name: "crash.log")
        let device = try await ReceivingDevice(in: place, "--offer", offer)
        let arguments = [
            "pull", "crash.log", "--device", Guest.deviceAddress, "--adapter", Guest.central,
            "--output", place.path("copy"), "--json",
        ]
        let first = try RunningTool(arguments, in: place)
        try await first.hasStored(byteCount: 65_536)
        first.send(9)
        #expect(try await first.end().status == -9)
        let second = try await RunningTool(arguments, in: place).end(within: 240)
        #expect(second.status == 0, "\(second.errors)")
        let last = try #require(second.events.last)
        #expect(try #require(last.number("resumedFromByte")) >= 65_536, "\(last)")
        #expect(place.bytes("copy") == place.bytes("crash.log"))
        _ = try await device.stop()
    }
}
