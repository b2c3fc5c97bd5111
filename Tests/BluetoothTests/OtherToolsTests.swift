import BLEOTA
import BLEOTABlueZ
import BLEOTATestSupport
import BlueZ
import Testing

/// Other makers' tools and this one, each with the other.
@Suite(
    "Other makers' tools",
    .enabled(if: Guest.runs("plain"), "runs in the guest: make test-bluez"),
    .serialized,
    .timeLimit(.minutes(10))
)
struct OtherToolsTests {
    private static let info = GATTIdentifiers.info
    private static let control = GATTIdentifiers.control
    private static let hasPython = UsesPython.path != nil
    private static let blessService = "b1e55000-0000-4000-8000-000000000001"
    /// Of no session, of every first byte that a control frame has, and too short and too long.
    private static let garbage = ["00", "01020304", "ff", "deadbeefdeadbeefdeadbeef"]

    private let place = ToolDirectory()

    @Test(
        "bleak reads Info of a receiver, writes garbage without harm, and a push works after it",
        .enabled(if: hasPython, "\(UsesPython.reason)")
    )
    func bleakAndReceiver() async throws {
        let device = try await ReceivingDevice(in: place, "--name", "kitchen")
        try await UsesPython.forgetDevice()
        let writes = Self.garbage.map { "write:\(Self.control):\($0)" }
        let commands = Self.garbage.map { "command:\(GATTIdentifiers.data):\($0)" }
        let bleak = try UsesPython.run(
            "bleak_central.py",
            [GATTIdentifiers.service, "list", "read:\(Self.info)", "notify:\(Self.control):0"]
                + writes + commands + ["quiet:\(Self.control)", "read:\(Self.info)"],
            in: place
        )
        let result = try await bleak.end(within: 180)
        #expect(result.status == 0, "\(result.output)\(result.errors)")
        let events = result.events
        let service = try #require(
            events.last { $0.text("uuid") == GATTIdentifiers.service },
            "\(result.output)"
        )
        let flags = service.fields["characteristics"] as? [String: [String]]
        #expect(flags?[Self.info] == ["read"])
        #expect(flags?[Self.control] == ["notify", "write"])
        #expect(flags?[GATTIdentifiers.data] == ["write-without-response"])
        #expect(flags?[GATTIdentifiers.dataWithResponse] == ["write"])
        #expect(flags?[GATTIdentifiers.dataOut] == ["indicate", "notify"])
        #expect(events.contains { $0.name == "read" && $0.text("value") == "01" })
        #expect(!events.contains { $0.name == "error" }, "\(result.output)")
        try await pushes(to: device)
    }

    @Test("bluetoothctl reads Info of a receiver, writes garbage, and a push works after it")
    func bluetoothctlAndReceiver() async throws {
        let device = try await ReceivingDevice(in: place, "--name", "kitchen")
        let person = try await UsesBluetoothctl(in: place)
        try await person.connect(service: GATTIdentifiers.service)
        try await person.say("menu gatt", until: "list-attributes")
        try await person.say("list-attributes \(Guest.deviceAddress)", until: Self.info)
        try await person.say("select-attribute \(Self.info)", until: "char")
        try await person.say("read", until: "  01 ")
        try await person.say("select-attribute \(Self.control)", until: "char")
        try await person.say("notify on", until: "Notify started")
        try await person.say("write \"0xde 0xad 0xbe 0xef\"", until: "Attempting to write")
        try await person.say("notify off", until: "Notify stopped")
        try await person.say("back", until: "Menu main", "scan")
        try await person.disconnect()
        let output = try await person.end()
        #expect(!output.contains("Failed to write"), "\(output)")
        try await pushes(to: device)
    }

    @Test(
        "bleak uses a peripheral of the library",
        .enabled(if: hasPython, "\(UsesPython.reason)")
    )
    func bleakAndLibrary() async throws {
        let peripheral = try await UsesPeripheral.start(name: "ours")
        try await UsesPython.forgetDevice()
        let (ticks, answered) = (UsesPeripheral.ticks.text, UsesPeripheral.answered.text)
        let bleak = try UsesPython.run(
            "bleak_central.py",
            [
                UsesPeripheral.main.text, "list", "read:\(UsesPeripheral.fixed)",
                "read:\(UsesPeripheral.counter)", "read:\(UsesPeripheral.counter)",
                "read:\(UsesPeripheral.long)", "read:\(UsesPeripheral.refusing)",
                "write:\(answered):00aa", "write:\(answered):0d", "write:\(answered):81",
                "command:\(UsesPeripheral.command):c0de", "notify:\(ticks):3", "quiet:\(ticks)",
            ],
            in: place
        )
        try await bleak.tells(["event": "subscribed", "uuid": ticks])
        try await peripheral.hasNoted("subscribed \(ticks)")
        for value in 1...3 as ClosedRange<UInt8> {
            try await peripheral.characteristic(UsesPeripheral.ticks).notify([value])
        }
        let result = try await bleak.end(within: 120)
        #expect(result.status == 0, "\(result.output)\(result.errors)")
        func values(_ uuid: BluetoothUUID, _ event: String = "read") -> [String] {
            result.events.filter { $0.name == event && $0.text("uuid") == uuid.text }
                .compactMap { $0.text("value") }
        }
        #expect(result.events.contains { $0.text("name") == "ours" })
        #expect(values(UsesPeripheral.fixed) == ["6669786564"])
        #expect(values(UsesPeripheral.long).first?.count == 600)
        let counted = values(UsesPeripheral.counter)
        #expect(counted.count >= 2 && Set(counted).count == counted.count)
        #expect(values(UsesPeripheral.ticks, "notified") == ["01", "02", "03"])
        let errors = result.events.filter { $0.name == "error" }
        #expect(
            errors.map { $0.text("step") } == [
                "read:\(UsesPeripheral.refusing)", "write:\(answered):0d", "write:\(answered):81",
            ],
            "\(errors)"
        )
        print("use: bleak's errors: \(errors.map(\.line))")
        #expect(peripheral.notes.answered.suffix(3) == [[0x00, 0xAA], [0x0D], [0x81]])
        #expect(peripheral.notes.commanded.last == [0xC0, 0xDE])
        try await peripheral.hasNoted("unsubscribed \(ticks)")
        await peripheral.stop()
    }

    @Test("bluetoothctl uses a peripheral of the library")
    func bluetoothctlAndLibrary() async throws {
        let peripheral = try await UsesPeripheral.start(name: "ours")
        let person = try await UsesBluetoothctl(in: place)
        try await person.connect(service: UsesPeripheral.main.text)
        try await person.say("menu gatt", until: "list-attributes")
        let main = UsesPeripheral.main.text
        try await person.say("list-attributes \(Guest.deviceAddress)", until: main)
        try await person.say("select-attribute \(UsesPeripheral.fixed)", until: "char")
        try await person.say("read", until: "66 69 78 65 64")
        try await person.say("select-attribute \(UsesPeripheral.answered)", until: "char")
        try await person.say("write \"0x00 0x55\"", until: "Attempting to write")
        try await UsesPatience.wait(for: "the write") { peripheral.notes.answered == [[0, 0x55]] }
        try await person.say("write 0x81", until: "0x81")
        try await person.say("select-attribute \(UsesPeripheral.ticks)", until: "char")
        try await person.say("notify on", until: "Notify started")
        try await peripheral.hasNoted("subscribed \(UsesPeripheral.ticks)")
        try await peripheral.characteristic(UsesPeripheral.ticks).notify([0x77, 0x78])
        try await person.say("", until: "77 78")
        try await person.say("notify off", until: "Notify stopped")
        try await peripheral.hasNoted("unsubscribed \(UsesPeripheral.ticks)")
        try await person.say("back", until: "Menu main", "scan")
        try await person.disconnect()
        _ = try await person.end()
        await peripheral.stop()
    }

    @Test(
        "This tool finds, browses, reads, writes and watches a peripheral of bless",
        .enabled(if: hasPython, "\(UsesPython.reason)")
    )
    func bless() async throws {
        let peer = try UsesPython.run("bless_peripheral.py", [], in: place)
        try await peer.tells(["event": "advertising"])
        let scan = try RunningTool(
            ["scan", "--adapter", Guest.central, "--name", "bless", "--duration", "60", "--json"],
            in: place
        )
        try await scan.tells(["address": Guest.deviceAddress, "name": "bless-peer"])
        _ = try await scan.interrupted()
        let inspected = try await use("inspect", "--read", "--json")
        #expect(inspected.status == 0, "\(inspected.errors)")
        func characteristic(_ number: Int) -> String {
            "b1e5500\(number)" + Self.blessService.dropFirst(8)
        }
        func event(_ name: String, _ uuid: String) -> Event? {
            inspected.events.first { $0.name == name && $0.text("uuid") == uuid }
        }
        #expect(event("service", Self.blessService) != nil)
        #expect(event("characteristic", characteristic(1))?.text("value") == Self.text)
        #expect(
            event("characteristic", characteristic(4))?.fields["flags"] as? [String] == ["notify"]
        )
        #expect(event("characteristic", "2a19")?.text("value") == "2a")
        #expect(event("descriptor", "2901")?.text("value") == "612074657874")
        let read = try await use("read", "180f/2a19")
        #expect(read.output == "2a  \"*\"\n", "\(read.output)\(read.errors)")
        let written = try await use("write", characteristic(2), "0102")
        #expect(written.status == 0, "\(written.errors)")
        try await peer.tells(["event": "written", "uuid": characteristic(2), "value": "0102"])
        let refused = try await use("write", characteristic(2), "ff")
        #expect(refused.status == 65)
        #expect(refused.errors.contains("application error (0x80)"), "\(refused.errors)")
        let command = try await use(
            "write",
            characteristic(3),
            "c0de",
            "--write-mode",
            "without-response"
        )
        #expect(command.status == 0, "\(command.errors)")
        try await peer.tells(["event": "written", "uuid": characteristic(3), "value": "c0de"])
        let watched = try await use("watch", characteristic(4), "--count", "3", "--json")
        #expect(watched.status == 0, "\(watched.errors)")
        let ticks = watched.events.compactMap { $0.text("value") }.compactMap { Int($0, radix: 16) }
        #expect(ticks.count == 3)
        for (tick, next) in zip(ticks, ticks.dropFirst()) { #expect(next == tick % 255 + 1) }
        peer.send(9)
        _ = try await peer.end()
    }

    /// `made with bless`
    private static let text = "6d616465207769746820626c657373"

    private func use(_ command: String, _ arguments: String...) async throws -> ToolResult {
        try await RunningTool(
            [command, Guest.deviceAddress] + arguments + ["--adapter", Guest.central],
            in: place
        ).end()
    }

    private func pushes(to device: ReceivingDevice) async throws {
        let result = try await place.pushing(place.image(30_000)).end(within: 120)
        #expect(result.status == 0, "\(result.errors)")
        #expect(device.current == place.bytes("image.bin"))
        #expect(try await device.stop().status == 0)
    }
}
