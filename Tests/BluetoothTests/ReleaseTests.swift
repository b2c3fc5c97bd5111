import BLEOTA
import BLEOTABlueZ
import BLEOTATestSupport
import BLEOTAWire
import BlueZ
import Glibc
import Testing

/// What has to work with each release of the daemon as it is: with its own settings.
@Suite(
    "Over a release of the daemon as it is",
    .enabled(if: Guest.runs("release"), "runs in the guest: scripts/test-bluez.sh"),
    .serialized,
    .timeLimit(.minutes(10))
)
struct ReleaseTests {
    private static let byteCount = 393_216
    private static let middle = 131_072

    private let place = ToolDirectory()

    /// The daemon knows no device yet. The emulated controllers measure no RSSI: of a device that
    /// the daemon knows, and that has nothing new to say, it would tell nobody that it is heard.
    init() async throws {
        try await Guest.forgetDevices()
    }

    /// From release 5.67 on an adapter without BR/EDR told of no device without the flag "LE
    /// General Discoverable", and the receiver advertised without it.
    @Test("A scan hears a receiver, and a device that is not discoverable")
    func scan() async throws {
        let device = try await ReceivingDevice(in: place, "--name", "kitchen")
        try await hears("kitchen") { $0["bleota"] as? Bool == true }
        _ = try await device.stop()
        let client = try await BlueZClient.open(within: .seconds(30))
        defer { client.close() }
        let running = try await RunningAdvertisement.start(
            Advertisement(
                localName: "hidden",
                services: [BluetoothUUID(0x180F)],
                isDiscoverable: false
            ),
            on: try client.adapter(Guest.device).path,
            client: client
        )
        try await hears("hidden") { ($0["services"] as? [String] ?? []).contains("180f") }
        await running.stop()
    }

    private func hears(
        _ name: String,
        _ condition: @Sendable ([String: Any]) -> Bool
    ) async throws {
        let scan = try RunningTool(
            ["scan", "--adapter", Guest.central, "--duration", "60", "--json"],
            in: place
        )
        try await scan.output { $0["name"] as? String == name && condition($0) }
        scan.send(2)
        _ = try await scan.end(within: 30)
    }

    @Test("An image goes to the only device, and to one by its name")
    func push() async throws {
        let device = try await ReceivingDevice(in: place, "--name", "kitchen")
        for (index, target) in [[], ["--device", "kitchen"]].enumerated() {
            let image = place.image(20_000, seed: UInt64(index + 1))
            let result = try await place.run(
                ["push", image, "--adapter", Guest.central, "--json"] + target
            )
            #expect(result.status == 0, "\(target): \(result.errors)")
            #expect(device.current == place.bytes("image.bin"))
        }
        _ = try await device.stop()
    }

    /// As the guides' devices are, which send no images.
    @Test("A device has a link without the characteristics that it may leave out")
    func leastService() async throws {
        let client = try await BlueZClient.open(within: .seconds(30))
        defer { client.close() }
        func uuid(_ text: String) throws -> BluetoothUUID { try #require(BluetoothUUID(text)) }
        let service = LocalService(
            try uuid(GATTIdentifiers.service),
            characteristics: [
                LocalCharacteristic(
                    try uuid(GATTIdentifiers.info),
                    .read,
                    reading: .value([ProtocolVersion.current])
                ),
                LocalCharacteristic(
                    try uuid(GATTIdentifiers.control),
                    [.write, .notify],
                    writing: .stream { _ in }
                ),
                LocalCharacteristic(
                    try uuid(GATTIdentifiers.data),
                    .writeWithoutResponse,
                    writing: .stream { _ in }
                ),
            ]
        )
        let path = try client.adapter(Guest.device).path
        let application = try await GATTApplication.publish([service], on: path, client: client)
        let advertisement = try await RunningAdvertisement.start(
            Advertisement(services: [service.uuid], isDiscoverable: true),
            on: path,
            client: client
        )
        let connector = DeviceConnector(client, adapter: Guest.central, to: .onlyOne)
        let link = try await connector.connect()
        try await link.send([1], on: .control, .withResponse)
        try await link.send([2], on: .data, .withoutResponse)
        try await link.flush()
        #expect(link.closeReason == nil)
        await connector.awaitEnd()
        await advertisement.stop()
        await application.withdraw()
    }

    @Test("A receiver that is killed and started again a second later gets the rest")
    func receiverKilled() async throws {
        try await goesOn { device, _ in
            try await device.kill()
            try await Task.sleep(for: .seconds(1))
            try await device.start()
        }
    }

    @Test("So does one whose daemon is killed and started again a second later")
    func daemonKilled() async throws {
        try await goesOn { _, push in
            // On a fast machine the rest would arrive before the daemon is killed.
            push.send(SIGSTOP)
            try await Guest.run("guest-bluetoothd", "kill")
            push.send(SIGCONT)
            try await Task.sleep(for: .seconds(1))
            try await Guest.startDaemon()
        }
    }

    private func goesOn(
        _ fault: (ReceivingDevice, RunningTool) async throws -> Void
    ) async throws {
        let device = try await ReceivingDevice(in: place)
        let push = try place.pushing(place.image(Self.byteCount), "--verbose")
        try await push.hasStored(byteCount: Self.middle)
        try await fault(device, push)
        let result = try await push.end(within: 120)
        print("goes on: \(result.events.last?.line ?? "")\n\(result.errors)")
        #expect(result.status == 0, "\(result.errors)")
        #expect(device.current == place.bytes("image.bin"))
        #expect(result.events.contains { $0.name == "reconnected" })
        _ = try await device.stop()
    }

    /// A push ended after a second, whatever its limit.
    @Test("A device that drops its first link while that is made gets the image over the next")
    func dropsOnce() async throws {
        let device = try await ReceivingDevice(in: place)
        let client = try await BlueZClient.open(within: .seconds(30))
        defer { client.close() }
        let adapter = try client.adapter(Guest.device)
        let central = try #require(BluetoothAddress(Guest.centralAddress))
        let dropping = Task {
            while adapter.device(central)?.isConnected != true {
                try await Task.sleep(for: .milliseconds(20))
            }
            try await adapter.device(central)?.disconnect()
        }
        let result = try await place.pushing(place.image(20_000), "--verbose").end(within: 90)
        try await dropping.value
        print("dropped once: \(result.events.last?.line ?? "")\n\(result.errors)")
        #expect(result.status == 0, "\(result.errors)")
        #expect(device.current == place.bytes("image.bin"))
        _ = try await device.stop()
    }

    /// From then on the daemon kept all data to itself, and every push ended with "answers, but the
    /// transfer gets no further".
    @Test("A link that is cut while the daemon asks for a socket is no end of all others")
    func cutWhileAsked() async throws {
        let device = try await ReceivingDevice(in: place)
        let client = try await BlueZClient.open(within: .seconds(30))
        defer { client.close() }
        let central = try await UsesPeripheral.connected(from: client)
        let link = try await CentralTransport.connect(to: central)
        // The receiver can't answer now, and the daemon asks it for a socket at the first command.
        device.tool.send(19)
        try await link.send([UInt8](repeating: 7, count: 20), on: .data, .withoutResponse)
        // Nobody tells when the command has arrived and the question is out.
        try await Task.sleep(for: .seconds(1))
        link.close(.local)
        await link.awaitEnd()
        device.tool.send(18)
        let result = try await place.pushing(place.image(20_000)).end(within: 90)
        #expect(result.status == 0, "\(result.errors)")
        #expect(device.current == place.bytes("image.bin"))
        _ = try await device.stop()
    }
}
