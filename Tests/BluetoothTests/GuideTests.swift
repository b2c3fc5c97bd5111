import BLEOTA
import BLEOTABlueZ
import BLEOTATestSupport
import BlueZ
import Testing

/// Pushes from hci0 to devices that are not BlueZ: the firmwares of the guides, with the receiver
/// of microcontrollers in them, behind Bumble.
@Suite(
    "Devices that follow the guides",
    .enabled(if: Guest.runs("guides"), "runs in the guest: scripts/test-bluez.sh guides"),
    .serialized,
    .timeLimit(.minutes(10))
)
struct GuideTests {
    private let place = ToolDirectory()

    /// An image that the model of ESP-IDF's boot loader takes: the first byte is the magic number.
    private func image(_ byteCount: Int, seed: UInt64) -> (path: String, bytes: [UInt8]) {
        var random = TestSeed(seed)
        let bytes = [0xE9] + random.bytes(byteCount - 1)
        return (place.write(bytes, to: "image\(seed)"), bytes)
    }

    /// The same, signed with the key that the devices trust.
    private func signedImage(_ byteCount: Int, seed: UInt64) async throws
        -> (path: String, bytes: [UInt8])
    {
        let (path, bytes) = image(byteCount, seed: seed)
        try await Guide.sign(path, as: path + ".bleota")
        return (path + ".bleota", bytes)
    }

    private func pushing(_ path: String, to device: GuideDevice, _ arguments: [String] = []) throws
        -> RunningTool
    {
        let target = ["--device", device.guide.address, "--adapter", Guest.central, "--json"]
        return try RunningTool(["push", path] + target + arguments, in: place)
    }

    private func push(_ path: String, to device: GuideDevice, _ arguments: String...) async throws
        -> ToolResult
    {
        let result = try await pushing(path, to: device, arguments).end(within: 180)
        let line = result.events.last?.line ?? result.errors
        print("push to \(device.guide.rawValue) \(arguments.joined(separator: " ")): \(line)")
        return result
    }

    @Test(
        "A push survives power cuts of the device and ends when it runs the image and keeps it",
        arguments: Guide.open
    )
    func cut(_ guide: Guide) async throws {
        let device = try await GuideDevice(guide, in: place)
        let (path, bytes) = try await signedImage(100_000, seed: 1)
        var random = TestSeed(TestSeed.rounds(1)[0])
        let cuts = [4_096 + random.below(36_000), 45_000 + random.below(30_000)]
        // On a busy machine the device takes most of the usual half minute to start.
        let push = try pushing(path, to: device, ["--wait-confirmed", "--timeout", "120"])
        for byteCount in cuts {
            try await push.hasStored(byteCount: byteCount)
            try await device.cutPower()
        }
        let result = try await push.end(within: 400)
        #expect(result.status == 0, "\(result.errors)\n\(device.process.errors)")
        #expect(result.events.contains { $0.name == "reconnected" })
        #expect(device.has(bytes))
        #expect(device.events("restarting") == 1)
        let resumed = try #require(device.resumedFromByte, "\(device.process.errors)")
        print("push to \(guide.rawValue), cut twice: went on from \(resumed)")
        // What a message of progress tells is durable, to the block of 4 KiB that was not full.
        #expect(resumed > cuts[1] - 4_096)

        // Since it restarted it has had links, and let go of each: it has to be heard still.
        let again = try await self.push(path, to: device, "--wait-confirmed")
        #expect(again.status == 0, "\(again.errors)\n\(device.process.errors)")
        #expect(again.events.last { $0.name == "result" }?.number("dataFramesSent") == 0)
        #expect(device.events("restarting") == 1)
        try await device.stop()
    }

    @Test("An image that nobody has signed is refused", arguments: Guide.open)
    func unsigned(_ guide: Guide) async throws {
        let device = try await GuideDevice(guide, in: place)
        let (path, bytes) = image(20_000, seed: 5)
        let result = try await push(path, to: device)
        #expect(result.status == 65, "\(result.status) \(result.errors)")
        #expect(device.process.errors.contains("the session ended: unsigned"))
        #expect(!device.has(bytes))
        try await device.stop()
    }

    @Test("The bond outlives the restart into the new image", arguments: Guide.encrypted)
    func bonded(_ guide: Guide) async throws {
        try await forget(guide)
        let device = try await GuideDevice(guide, in: place)
        let (first, firstBytes) = try await signedImage(20_000, seed: 2)
        let (second, secondBytes) = try await signedImage(20_000, seed: 3)

        let pushed = try await push(first, to: device, "--pair", "--wait-confirmed")
        #expect(pushed.status == 0, "\(pushed.errors)\n\(device.process.errors)")
        #expect(device.has(firstBytes))
        #expect(device.events("restarting") == 1)

        let other = try await push(second, to: device, "--wait-confirmed")
        #expect(other.status == 0, "\(other.errors)\n\(device.process.errors)")
        #expect(device.has(secondBytes))
        #expect(device.events("paired") == 1)
        try await device.stop()
    }

    @Test(
        "Without a pairing no session begins over a link that has to be encrypted",
        arguments: Guide.encrypted
    )
    func unpaired(_ guide: Guide) async throws {
        try await forget(guide)
        let device = try await GuideDevice(guide, in: place)
        let (path, _) = try await signedImage(20_000, seed: 4)
        let result = try await push(path, to: device, "--timeout", "10")
        #expect(result.status == 69, "\(result.status) \(result.errors)")
        #expect((result.errors + result.output).contains("--pair"), "\(result.errors)")
        #expect(!device.process.errors.contains("opened "), "\(device.process.errors)")
        try await device.stop()
        try await forget(guide)
    }

    /// The daemon forgets the device, and any bond with it.
    private func forget(_ guide: Guide) async throws {
        let client = try await BlueZClient.open(within: .seconds(30))
        defer { client.close() }
        let adapter = try client.adapter(Guest.central)
        for device in adapter.devices where device.address?.description == guide.address {
            try? await adapter.remove(device)
        }
    }
}
