import BLEOTA
import BLEOTABlueZ
import BLEOTATestSupport
import BlueZ
import DBus
import Synchronization
import SystemPackage
import Testing

/// Devices that take images over encrypted links only.
@Suite(
    "Pushing over links that have to be encrypted",
    .enabled(if: Guest.runs("plain"), "runs in the guest: make test-bluez"),
    .serialized,
    .timeLimit(.minutes(5))
)
struct PairingTests {
    private let place = ToolDirectory()

    private func push(_ image: String, _ arguments: String...) async throws -> ToolResult {
        try await place.run(
            ["push", image, "--adapter", Guest.central, "--json", "--timeout", "15"] + arguments
        )
    }

    /// Both ends forget each other.
    private func forget() async throws {
        let client = try await BlueZClient.open(within: .seconds(30))
        defer { client.close() }
        for name in [Guest.central, Guest.device] {
            let adapter = try client.adapter(name)
            for device in adapter.devices { try? await adapter.remove(device) }
        }
    }

    @Test("Who pairs can push, and goes on to without pairing again")
    func encrypted() async throws {
        try await forget()
        let device = try await ReceivingDevice(in: place, "--link", "encrypted")
        let first = try await push(place.image(20_000), "--pair")
        #expect(first.status == 0, "\(first.errors)")
        #expect(device.current == place.bytes("image.bin"))
        let second = try await push(place.image(20_000, seed: 2, name: "second.bin"))
        #expect(second.status == 0, "\(second.errors)")
        #expect(device.current == place.bytes("second.bin"))
        _ = try await device.stop()
        try await forget()
    }

    @Test("Who can't pair begins no session, and is told to")
    func unpaired() async throws {
        try await forget()
        let device = try await ReceivingDevice(in: place, "--link", "authenticated")
        let result = try await push(place.image(20_000))
        print("pairing: without it: \(result.status) \(result.errors)")
        // 75 when the daemon tried to pair by itself and that ended the link, 77 when it says what
        // the device wants.
        #expect([75, 77].contains(result.status))
        #expect(result.errors.contains("--pair"), "\(result.errors)")
        #expect(device.current == nil)
        let wrong = try await push(place.path("image.bin"), "--pair", "--passkey", "000000")
        print("pairing: wrong digits: \(wrong.status) \(wrong.errors)")
        #expect(wrong.status == 69)
        #expect(device.current == nil)
        let stopped = try await device.stop()
        #expect(!stopped.output.contains("\"started\""))
        try await forget()
    }

    @Test(
        "Who types the digits that the device shows can push where a link has to be authenticated"
    )
    func authenticated() async throws {
        try await forget()
        let device = try await ReceivingDevice(in: place, "--link", "authenticated")
        let client = try await BlueZClient.open(within: .seconds(30))
        defer { client.close() }
        let typist = Typist(device.tool)
        let agent = try await PairingAgent.register(typist, client: client, isDefault: false)
        let connector = DeviceConnector(
            client,
            adapter: Guest.central,
            to: .onlyOne,
            pairs: true
        )
        let image = try FirmwareFile(contentsOf: FilePath(place.image(20_000)))
        let report = try await BLEOTA.push(Firmware(image), through: connector)
        #expect(report.byteCount == 20_000)
        #expect(device.current == place.bytes("image.bin"))
        await connector.awaitEnd()
        await agent.unregister()
        _ = try await device.stop()
        try await forget()
    }

    @Test("What a device offers goes to those alone that have paired")
    func offered() async throws {
        try await forget()
        let offer = place.image(20_000, name: "crash.log")
        var device = try await ReceivingDevice(
            in: place,
            "--link",
            "authenticated",
            "--offer",
            offer
        )
        func pull(_ arguments: String...) async throws -> ToolResult {
            try await place.run(
                [
                    "pull", "crash.log", "--adapter", Guest.central, "--output",
                    place.path("copy"), "--json", "--timeout", "15",
                ] + arguments
            )
        }
        let stranger = try await pull()
        print("pairing: a stranger pulls: \(stranger.status) \(stranger.errors)")
        #expect([69, 75, 77].contains(stranger.status))
        #expect(stranger.errors.contains("--pair"), "\(stranger.errors)")
        #expect(place.bytes("copy") == nil)
        _ = try await device.stop()
        try await forget()
        device = try await ReceivingDevice(in: place, "--link", "encrypted", "--offer", offer)
        let friend = try await pull("--pair")
        #expect(friend.status == 0, "\(friend.errors)")
        #expect(place.bytes("copy") == place.bytes("crash.log"))
        _ = try await device.stop()
        try await forget()
    }

    /// Reads what the receiver shows, and types it.
    private struct Typist: PairingHandler {
        private let tool: RunningTool

        init(_ tool: RunningTool) { self.tool = tool }

        var capability: PairingCapability { .keyboard }

        func passkey(_ device: ObjectPath) async -> PairingPasskey? {
            let digits = Mutex<String?>(nil)
            try? await tool.output { event in
                guard let shown = event["passkey"] as? String else { return false }
                digits.withLock { $0 = shown }
                return true
            }
            return digits.withLock { $0 }.flatMap { PairingPasskey($0) }
        }
    }
}
