import BLEOTA
import BLEOTABlueZ
import BLEOTATestSupport
import BlueZ
import Glibc
import Testing

/// Pushes under other settings of the daemon, each in a guest of its own.
@Suite("Settings of the daemon", .serialized, .timeLimit(.minutes(10)))
struct SettingsTests {
    private let place = ToolDirectory()

    @Test(
        "Three EATT channels reorder, and nothing is lost",
        .enabled(if: Guest.runs("Channels=3"), "runs in the guest: make test-bluez")
    )
    func channels() async throws {
        let trace = place.path("trace")
        let device = try await ReceivingDevice(in: place, "--trace", trace)
        let push = try place.pushing(place.image(262_144))
        let result = try await push.end(within: 240)
        #expect(result.status == 0, "\(result.errors)")
        #expect(device.current == place.bytes("image.bin"))
        _ = try await device.stop()
        let decoded = try await place.run("decode", trace)
        let damaged = decoded.output.split(separator: "\n").filter { $0.hasPrefix("?") }
        // With several channels 5.66 now and then delivers a chunk with the first bytes of another.
        // Its checksum tells, and it is sent again.
        #expect(damaged.allSatisfy { $0.contains("damaged") }, "\(decoded.output)")
        let resentCount = try #require(result.events.last?.number("dataFramesResent"))
        #expect(damaged.count <= resentCount, "\(decoded.output)")
        #expect(decoded.status == (damaged.isEmpty ? 0 : 65), "\(decoded.errors)")
        let reordered = Self.reorderedCount(decoded.output)
        print(
            "Channels=3: \(reordered) chunks overtaken, \(damaged.count) damaged; "
                + (result.events.last?.line ?? "")
        )
        // The later release keeps the order.
        #expect(Guest.isOfLaterRelease ? reordered == 0 : reordered > 0)
    }

    /// How many chunks of the image came after a later one.
    private static func reorderedCount(_ trace: String) -> Int {
        var (count, highest) = (0, -1)
        for line in trace.split(separator: "\n") where line.contains("← DATA image") {
            guard let chunk = line.firstMatch(of: /chunk (\d+)/).flatMap({ Int($0.1) }) else {
                continue
            }
            if chunk < highest { count += 1 }
            highest = max(highest, chunk)
        }
        return count
    }

    @Test(
        "A small MTU carries small chunks, and a large one no more than arrives",
        .enabled(if: Guest.attMTU != nil, "runs in the guest: make test-bluez")
    )
    func sizes() async throws {
        let attMTU = try #require(Guest.attMTU)
        let device = try await ReceivingDevice(in: place)
        let image = place.image(attMTU < 100 ? 32_768 : 131_072)
        // The daemon does not start with less than 48, so that the smallest is asked for here.
        let asked = attMTU == 23 ? ["--mtu", "23"] : []
        let result = try await place.pushing(image, asked).end(within: 240)
        #expect(result.status == 0, "\(result.errors)")
        #expect(device.current == place.bytes("image.bin"))
        let last = try #require(result.events.last)
        #expect(last.number("attMTU") == attMTU)
        #expect(try #require(last.number("chunkBytes")) + 4 <= min(attMTU - 3, 510))
        print("ExchangeMTU=\(attMTU): \(last.line)")
        _ = try await device.stop()
    }

    @Test(
        "A value longer than the MTU is read and written in parts",
        .enabled(if: Guest.attMTU == 65, "runs in the guest: make test-bluez")
    )
    func longValues() async throws {
        let peripheral = try await UsesPeripheral.start()
        let client = try await BlueZClient.open(within: .seconds(30))
        defer { client.close() }
        let device = try await UsesPeripheral.connected(from: client)
        let service = try await device.service(UsesPeripheral.main)
        for uuid in [UsesPeripheral.long, UsesPeripheral.longAnswered] {
            #expect(try await service.characteristic(uuid).read() == UsesPeripheral.longValue)
        }
        let offsets = peripheral.notes.readOffsets
        #expect(offsets.first == 0)
        #expect(offsets == offsets.sorted())
        let answered = try await service.characteristic(UsesPeripheral.answered)
        let value = [0] + UsesPeripheral.longValue
        try await answered.write(value, as: .request)
        // A part says where it belongs; together they are the value.
        var written: [UInt8] = []
        for part in peripheral.notes.requests where !part.isOnlyQuestion {
            #expect(part.offset == written.count)
            written += part.value
        }
        #expect(written == value)
        print("parts: read at \(offsets), written \(peripheral.notes.requests.map(\.offset))")
        try await device.disconnect()
        await peripheral.stop()
    }
}

extension Guest {
    /// The MTU of a guest with that setting.
    static var attMTU: Int? {
        guard let text = getenv("BLEOTA_GUEST").map({ String(cString: $0) }),
            text.hasPrefix("ExchangeMTU=")
        else { return nil }
        return Int(text.dropFirst("ExchangeMTU=".count))
    }
}
