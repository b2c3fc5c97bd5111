import BLEOTA
import BLEOTABlueZ
import BLEOTATestSupport
import BlueZ
import Synchronization
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
        let trace = place.path("trace")
        let push = try place.pushing(
            place.image(byteCount),
            "--burst",
            "12:100",
            "--mtu",
            "23",
            "--write-mode",
            mode,
            "--trace",
            trace
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
        // However long it took: of 13 packets the last comes a pause after the first. It is the
        // sender's clock that counts; the trace's may be some milliseconds behind.
        let sent = try await sentMicroseconds(trace)
        #expect(sent.count >= 256)
        for (first, thirteenth) in zip(sent, sent.dropFirst(12)) {
            #expect(thirteenth - first >= 90_000)
        }
        _ = try await device.stop()
    }

    /// When each packet with a part of the image was sent.
    private func sentMicroseconds(_ trace: String) async throws -> [Int] {
        let decoded = try await place.run("decode", trace)
        #expect(decoded.status == 0, "\(decoded.errors)")
        return decoded.output.split(separator: "\n").filter { $0.contains("→ DATA image") }
            .compactMap { $0.split(separator: " ").first.flatMap { Int($0) } }
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

    @Test("A central that reads a stream leaves at the mark that ends it")
    func endMark() async throws {
        let peripheral = try await UsesPeripheral.start()
        let client = try await BlueZClient.open(within: .seconds(30))
        defer { client.close() }
        let device = try await UsesPeripheral.connected(from: client)
        let ticks = peripheral.characteristic(UsesPeripheral.ticks)
        let remote = try await device.service(UsesPeripheral.main)
            .characteristic(UsesPeripheral.ticks)
        let (values, continuation) = AsyncStream.makeStream(of: [UInt8].self)
        let subscription = try await remote.subscribe { continuation.yield($0) }
        try await peripheral.hasNoted("subscribed \(ticks.uuid)")
        var seed = TestSeed(9)
        let packets = (0..<50).map { _ in seed.bytes(100) }
        for packet in packets + [Array("EOM".utf8)] { try await ticks.notify(packet) }
        var payload: [UInt8] = []
        for await value in values {
            if value == Array("EOM".utf8) { break }
            payload += value
        }
        #expect(payload == packets.flatMap { $0 })
        try await remote.unsubscribe()
        subscription.end()
        try await peripheral.hasNoted("unsubscribed \(ticks.uuid)")
        try await device.disconnect()
        await peripheral.stop()
    }

    @Test("A bus that reads nothing holds up who notifies, and nothing is lost when it goes on")
    func fullQueue() async throws {
        let peripheral = try await UsesPeripheral.start()
        let client = try await BlueZClient.open(within: .seconds(30))
        defer { client.close() }
        let device = try await UsesPeripheral.connected(from: client)
        let ticks = peripheral.characteristic(UsesPeripheral.ticks)
        let heard = Mutex<[[UInt8]]>([])
        let remote = try await device.service(UsesPeripheral.main)
            .characteristic(UsesPeripheral.ticks)
        let subscription = try await remote.subscribe { value in
            heard.withLock { $0.append(value) }
        }
        try await peripheral.hasNoted("subscribed \(ticks.uuid)")
        let values = (0..<3_000).map { number in
            [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 100)
                + [UInt8(truncatingIfNeeded: number >> 8)]
        }
        let sentCount = Atomic(0)
        try await Guest.run("sh", "-c", "kill -STOP $(pidof dbus-daemon)")
        let sending = Task {
            for value in values {
                try await ticks.notify(value)
                sentCount.add(1, ordering: .relaxed)
            }
        }
        // Until it stands still: as many as our queue and the socket hold.
        var last = -1
        while last != sentCount.load(ordering: .relaxed) || last <= 0 {
            last = sentCount.load(ordering: .relaxed)
            try await Task.sleep(for: .seconds(1))
        }
        try await Guest.run("sh", "-c", "kill -CONT $(pidof dbus-daemon)")
        #expect(last < values.count)
        print("use: \(last) values of 101 bytes before the bus is full")
        try await sending.value
        try await UsesPatience.wait(for: "all values") {
            heard.withLock { $0.count } >= values.count
        }
        #expect(heard.withLock { $0 } == values)
        try await remote.unsubscribe()
        subscription.end()
        try await device.disconnect()
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
