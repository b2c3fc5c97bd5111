import BLEOTABlueZ
import BLEOTATestSupport
import Testing

/// Bulk data as people send it with and without this protocol.
@Suite(
    "Uses: bulk data",
    .enabled(if: Guest.runs("plain"), "runs in the guest: make test-bluez"),
    .serialized,
    .timeLimit(.minutes(10))
)
struct UsesBulkTests {
    private let place = ToolDirectory()

    @Test(
        "The field rule: 20-byte packets, 100 ms after every 12, in both write modes",
        arguments: ["without-response", "with-response"]
    )
    func fieldRule(mode: String) async throws {
        let device = try await ReceivingDevice(in: place)
        let byteCount = 4_096
        let push = try place.pushing(
            place.image(byteCount),
            "--burst",
            "12:100",
            "--mtu",
            "23",
            "--write-mode",
            mode
        )
        let result = try await push.end(within: 180)
        #expect(result.status == 0, "\(result.errors)")
        #expect(device.current == place.bytes("image.bin"))
        let last = try #require(result.events.last)
        print("use: 12:100 \(mode): \(last.line)")
        #expect(last.text("writeMode") == mode)
        #expect(last.number("attMTU") == 23)
        // 20 bytes are a packet, and 4 of them its head.
        #expect(last.number("chunkBytes") == 16)
        // 256 packets are 22 bursts with 21 pauses between them.
        let seconds = try #require(last.fields["seconds"] as? Double)
        #expect(seconds >= 2.1)
        _ = try await device.stop()
    }

    @Test("A peripheral streams by notifications, and a mark ends the stream")
    func stream() async throws {
        let peripheral = try await UsesPeripheral.start()
        let ticks = peripheral.characteristic(UsesPeripheral.ticks)
        let watch = try RunningTool(
            ["watch", Guest.deviceAddress, ticks.uuid.text, "--adapter", Guest.central, "--json"],
            in: place
        )
        try await watch.tells(["event": "watching"])
        try await peripheral.hasNoted("subscribed \(ticks.uuid)")
        var seed = TestSeed(7)
        let packets = (0..<300).map { _ in seed.bytes(100) } + [Array("EOM".utf8)]
        for packet in packets { #expect(try await ticks.notify(packet)) }
        try await watch.tells(["event": "value", "value": "454f4d"])
        let result = try await watch.interrupted()
        #expect(result.status == 0, "\(result.errors)")
        let values = result.events.filter { $0.name == "value" }.compactMap { $0.text("value") }
        #expect(values == packets.map { Self.hex($0) })
        await peripheral.stop()
    }

    @Test("A central streams by commands, one after the other")
    func commands() async throws {
        let peripheral = try await UsesPeripheral.start()
        let client = try await BlueZClient.open(within: .seconds(30))
        defer { client.close() }
        let device = try await UsesPeripheral.connected(from: client)
        let remote = try await device.service(UsesPeripheral.main)
            .characteristic(UsesPeripheral.command)
        var seed = TestSeed(8)
        let packets = (0..<240).map { _ in seed.bytes(20) }
        for packet in packets { try await remote.write(packet, as: .command) }
        try await UsesPatience.wait(for: "240 packets") {
            peripheral.notes.commanded.count >= packets.count
        }
        #expect(peripheral.notes.commanded == packets)
        try await device.disconnect()
        await peripheral.stop()
    }

    private static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
