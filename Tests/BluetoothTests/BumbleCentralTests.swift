import BLEOTA
import BLEOTATestSupport
import Testing

/// Transfers between a receiver of the tool and a central whose Bluetooth stack and protocol are
/// not this project's code.
@Suite(
    "A central on another Bluetooth stack",
    .enabled(if: Guest.runs("bumble"), "runs in the guest: scripts/test-bluez.sh bumble-central"),
    .serialized,
    .timeLimit(.minutes(10))
)
struct BumbleCentralTests {
    private static let byteCount = 24_000

    private let place = ToolDirectory()

    /// Lets a central send an image, and expects that a receiver has it.
    private func sends(byteCount: Int = byteCount, _ options: [String]) async throws -> BumbleEnd {
        let device = try await ReceivingDevice(in: place, "--name", "kitchen")
        _ = place.image(byteCount)
        let central = try BumbleEnd.central("send", "image.bin", in: place, options)
        let result = try await central.process.end(within: 240)
        #expect(result.status == 0, "\(central.story)\n\(device.tool.errors)")
        try await device.tool.wait(for: "the image") {
            device.current == place.bytes("image.bin")
        }
        #expect(try await device.stop().status == 0)
        return central
    }

    @Test("A receiver takes an image at every ATT_MTU", arguments: [23, 65, 185, 247, 498])
    func attMTU(_ attMTU: Int) async throws {
        _ = try await sends(
            byteCount: attMTU == 23 ? 4_000 : Self.byteCount,
            ["--mtu", "\(attMTU)"]
        )
    }

    @Test(
        "A receiver takes an image over a channel, and sends one, whatever SDUs the central takes"
    )
    func channel() async throws {
        let image = place.image(Self.byteCount)
        let device = try await ReceivingDevice(
            in: place,
            channels: true,
            "--name",
            "kitchen",
            "--offer",
            image
        )
        for (kind, path, options) in [
            ("send", "image.bin", ["--l2cap", "2048"]), ("request", "device", ["--l2cap", "300"]),
        ] {
            let central = try BumbleEnd.central(kind, path, in: place, options)
            let result = try await central.process.end(within: 240)
            #expect(result.status == 0, "\(central.story)\n\(device.tool.errors)")
            #expect(central.events("channel").count == 1)
            if kind == "request" { #expect(central.current == place.bytes("image.bin")) }
        }
        #expect(device.current == place.bytes("image.bin"))
        #expect(try await device.stop().status == 0)
    }

    @Test("A receiver takes an image from a central that never exchanges the MTU")
    func noExchange() async throws {
        _ = try await sends(byteCount: 8_000, ["--no-mtu-exchange"])
    }

    @Test("A receiver keeps what it has when links are lost in every phase")
    func lostInEveryPhase() async throws {
        let phases = ["connection", "subscription", "open", "manifest", "image", "result"]
        let central = try await sends(phases.flatMap { ["--lose-at", $0] })
        #expect(central.events("lost").compactMap { $0.text("phase") } == phases)
    }

    @Test("A receiver waits for a central that takes its time")
    func slow() async throws {
        _ = try await sends(byteCount: 4_000, ["--slow-ms", "700", "--mtu", "498"])
    }

    @Test("A receiver goes on when the central changes the connection interval")
    func intervals() async throws {
        let central = try await sends(["--change-interval"])
        #expect(central.events("interval").count >= 2, "\(central.story)")
    }

    @Test("A receiver sends the image that the central asks for")
    func request() async throws {
        let image = place.image(Self.byteCount)
        let device = try await ReceivingDevice(in: place, "--offer", image)
        let central = try BumbleEnd.central(
            "request",
            "device",
            in: place,
            ["--lose-at", "manifest", "--lose-at", "image"]
        )
        let result = try await central.process.end(within: 240)
        #expect(result.status == 0, "\(central.story)\n\(device.tool.errors)")
        #expect(central.current == place.bytes("image.bin"))
        #expect(central.events("lost").count == 2)
        #expect(try await device.stop().status == 0)
    }
}
