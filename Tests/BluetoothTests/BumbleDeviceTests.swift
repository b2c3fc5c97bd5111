import BLEOTA
import BLEOTATestSupport
import Testing

/// Pushes to a device, and pulls from one, whose Bluetooth stack and protocol are not this
/// project's code, and that does what real devices do.
@Suite(
    "A device on another Bluetooth stack",
    .enabled(if: Guest.runs("bumble"), "runs in the guest: scripts/test-bluez.sh bumble-device"),
    .serialized,
    .timeLimit(.minutes(10))
)
struct BumbleDeviceTests {
    private static let byteCount = 24_000

    /// If a link ends while the daemon discovers the services, BlueZ 5.66 dies in some runs.
    private static let phases =
        (Guest.isOfLaterRelease ? ["connection"] : [])
        + ["subscription", "open", "manifest", "image", "result"]

    private let place = ToolDirectory()

    init() async throws { try await Guest.forgetDevices() }

    private func device(
        _ options: [String] = [],
        over air: String = BumbleEnd.air
    ) async throws -> BumbleEnd {
        try await BumbleEnd.device("receive", "device", in: place, over: air, options)
    }

    private func push(_ image: String, _ options: [String] = []) async throws -> ToolResult {
        let target = ["--device", BumbleEnd.name, "--adapter", Guest.central, "--json"]
        let result = try await RunningTool(["push", image] + target + options, in: place)
            .end(within: 240)
        print("push \(options.joined(separator: " ")): \(result.events.last?.line ?? "")")
        return result
    }

    /// Pushes an image, and expects that the device has it.
    @discardableResult
    private func arrives(
        at device: BumbleEnd,
        byteCount: Int = byteCount,
        _ options: [String] = []
    ) async throws -> Event {
        let result = try await push(place.image(byteCount), options)
        #expect(result.status == 0, "\(result.errors)\n\(device.story)")
        #expect(device.current == place.bytes("image.bin"))
        try await device.stop()
        return try #require(result.events.last)
    }

    @Test("A push uses the ATT_MTU of the device", arguments: [23, 65, 185, 247, 498])
    func attMTU(_ attMTU: Int) async throws {
        let device = try await device(["--mtu", "\(attMTU)"])
        let end = try await arrives(at: device, byteCount: attMTU == 23 ? 4_000 : Self.byteCount)
        #expect(end.number("attMTU") == attMTU)
    }

    @Test(
        "A push takes the L2CAP channel of a device, whatever SDUs it takes",
        arguments: [64, 2_048]
    )
    func channel(_ sduByteCount: Int) async throws {
        let device = try await device(["--l2cap", "\(sduByteCount)"])
        let end = try await arrives(at: device, ["--timeout", "60"])
        #expect(end.number("chunkBytes") == (sduByteCount == 64 ? 56 : 484))
        #expect(device.events("channel").count == 1)
    }

    @Test("A push goes on over new channels after links that are lost in every phase")
    func channelLostInEveryPhase() async throws {
        let phases = ["open", "manifest", "image", "result"]
        let device = try await device(
            ["--l2cap", "2048"] + phases.flatMap { ["--lose-at", $0] }
        )
        try await arrives(at: device)
        #expect(device.events("lost").compactMap { $0.text("phase") } == phases)
    }

    @Test("A device that never answers the MTU exchange ends the push with a sentence")
    func noExchange() async throws {
        let device = try await device(["--no-mtu-exchange"])
        let result = try await push(place.image(8_000), ["--timeout", "45"])
        #expect([69, 75].contains(result.status), "\(result.status) \(result.errors)")
        #expect(result.errors.contains("."), "\(result.errors)")
        #expect(!device.events("mtu exchange ignored").isEmpty)
        try await device.stop()
    }

    @Test("A push reaches a device whose link-layer packets carry 27 bytes")
    func shortPackets() async throws {
        let device = try await device(over: BumbleEnd.shortPacketsAir)
        try await arrives(at: device)
    }

    @Test("A push goes on when the device changes the connection interval")
    func intervals() async throws {
        let device = try await device(["--change-interval"])
        try await arrives(at: device)
        let story = device.story
        #expect(device.events("interval").count >= 2, "\(story)")
    }

    @Test("A push goes on when the device drops notifications because its queue is full")
    func fullQueue() async throws {
        let device = try await device(["--queue", "2"])
        try await arrives(at: device)
        #expect(!device.events("dropped").isEmpty)
    }

    @Test("A push goes on after links that are lost in every phase")
    func lostInEveryPhase() async throws {
        let phases = Self.phases + ["close"]
        let device = try await device(phases.flatMap { ["--lose-at", $0] })
        // Of the last phase the sender need not hear.
        try await arrives(at: device)
        #expect(device.events("lost").compactMap { $0.text("phase") } == phases)
    }

    @Test("A push goes on when the device changes its services")
    func changedServices() async throws {
        let device = try await device(["--change-services"])
        try await arrives(at: device)
        #expect(device.events("services changed").count == 1)
    }

    @Test("A push goes on when the handles of the characteristics have moved")
    func movedHandles() async throws {
        let device = try await device(
            ["--move-handles", "--lose-at", "manifest", "--lose-at", "image"]
        )
        try await arrives(at: device)
        #expect(device.events("lost").count == 2)
    }

    @Test("A push waits for a device that takes its time for each answer")
    func slow() async throws {
        let device = try await device(["--slow-ms", "700"])
        try await arrives(at: device, byteCount: 8_000)
    }

    @Test("A device that wants a paired link is paired with if the user says so")
    func authentication() async throws {
        let device = try await device(["--needs-encryption"])
        let refused = try await push(place.image(8_000))
        #expect(refused.status != 0)
        #expect(refused.errors.contains("--pair"), "\(refused.errors)")
        try await arrives(at: device, byteCount: 8_000, ["--pair"])
        #expect(!device.events("write refused").isEmpty)
    }

    @Test(
        "A push to a device that has lost its bond says how to make a new one",
        .enabled(if: Guest.isOfLaterRelease, "such a device ends BlueZ 5.66")
    )
    func lostBond() async throws {
        let bonded = try await device(["--needs-encryption"])
        try await arrives(at: bonded, byteCount: 8_000, ["--pair"])
        let reset = try await device(["--needs-encryption"])
        let refused = try await push(place.image(4_000), ["--timeout", "20"])
        #expect(refused.status != 0)
        let command = try #require(refused.errors.firstMatch(of: /run (bluetoothctl remove \S+),/))
        try await Guest.run("sh", "-c", String(command.1))
        try await arrives(at: reset, byteCount: 4_000, ["--pair"])
    }

    @Test("A pull gets the image of a device, over links that are lost in every phase")
    func pull() async throws {
        _ = place.image(Self.byteCount)
        let device = try await BumbleEnd.device(
            "answer",
            "image.bin",
            in: place,
            Self.phases.flatMap { ["--lose-at", $0] }
        )
        let target = ["--device", BumbleEnd.name, "--adapter", Guest.central, "--json"]
        let result = try await place.run(
            ["pull", "image.bin", "--output", place.path("pulled")] + target
        )
        print("pull: \(result.events.last?.line ?? "")")
        #expect(result.status == 0, "\(result.errors)\n\(device.story)")
        #expect(place.bytes("pulled") == place.bytes("image.bin"))
        #expect(device.events("lost").count == Self.phases.count)
        try await device.stop()
    }
}
