import BLEOTABlueZ
import BLEOTATestSupport
import Testing

/// What people do with a central before they connect.
@Suite(
    "Uses: adapters and scanning",
    .enabled(if: Guest.runs("plain"), "runs in the guest: make test-bluez"),
    .serialized,
    .timeLimit(.minutes(10))
)
struct UsesTests {
    private let place = ToolDirectory()

    @Test("An adapter says that it is on, off and gone, and a client lives through it")
    func adapterStates() async throws {
        let client = try await BlueZClient.open(within: .seconds(30))
        defer { client.close() }
        let adapter = try client.adapter(Guest.device)
        #expect(adapter.state == .on)
        try await Guest.switchAdapter(Guest.device, on: false)
        try await UsesPatience.wait(for: "off") { adapter.state == .off }
        try await adapter.setPowered(true)
        #expect(adapter.state == .on)
        try await Guest.run("guest-radio", "stop")
        try await UsesPatience.wait(for: "no adapter") { client.adapters.isEmpty }
        #expect(adapter.state == .unknown)
        let result = try await place.run("scan")
        #expect(result.status == 69)
        #expect(result.errors.contains("There is no Bluetooth adapter here"))
        #expect(result.isOneSentence, "\(result.errors)")
        try await Guest.run("guest-radio", "start")
        try await UsesPatience.wait(for: "both adapters") {
            client.adapters.map(\.state) == [.on, .on]
        }
    }

    @Test(
        "A scan ends with a sentence when what it needs goes away",
        arguments: ["adapter", "controller", "daemon", "crash"]
    )
    func scanCutShort(what: String) async throws {
        let peripheral = try await UsesPeripheral.start()
        let scan = try scanning("--duration", "300")
        try await scan.tells(["address": Guest.deviceAddress])
        await peripheral.stop()
        switch what {
        case "adapter": try await Guest.switchAdapter(Guest.central, on: false)
        case "controller": try await Guest.run("guest-radio", "stop")
        case "daemon": try await Guest.stopDaemon()
        default: try await Guest.run("guest-bluetoothd", "kill")
        }
        let result = try? await scan.end(within: 30)
        switch what {
        case "adapter": try await Guest.switchAdapter(Guest.central, on: true)
        case "controller": try await Guest.run("guest-radio", "start")
        default: try await Guest.startDaemon()
        }
        let ended = try #require(result, "it scans on without a radio")
        #expect(ended.status == 69, "\(ended.status) \(ended.errors)")
        #expect(ended.isOneSentence, "\(ended.errors)")
    }

    @Test("A scan tells devices with a service or a prefix of the name, and no others")
    func filters() async throws {
        let peripheral = try await UsesPeripheral.start(name: "kitchen-7")
        let found = [
            try scanning("--service", UsesPeripheral.main.text), try scanning("--name", "kitchen"),
            try scanning("--service", UsesPeripheral.main.text, "--name", "kitchen-7"),
        ]
        // They hear the same: the daemon joins the filters of its clients.
        let others = [
            try scanning("--service", "180d"), try scanning("--name", "cellar"),
            try scanning("--service", UsesPeripheral.main.text, "--name", "itchen"),
        ]
        for scan in found {
            try await scan.tells(["address": Guest.deviceAddress, "name": "kitchen-7"])
            let result = try await scan.interrupted()
            let event = try #require(result.events.last { $0.text("name") == "kitchen-7" })
            #expect(event.number("rssi") != nil)
            #expect(
                (event.fields["services"] as? [String])?.contains(UsesPeripheral.main.text) == true
            )
            // The address that a device carries in its data.
            let data = event.fields["manufacturerData"] as? [String: String]
            #expect(data?["ffff"] == "00aa01010001")
        }
        for scan in others {
            let result = try await scan.interrupted()
            #expect(!result.events.contains { $0.name == "device" }, "\(result.output)")
        }
        await peripheral.stop()
    }

    @Test("A scan tells what is new, and with duplicates everything")
    func duplicates() async throws {
        let peripheral = try await UsesPeripheral.start(name: "kitchen-7")
        let all = try scanning("--name", "kitchen", "--duplicates")
        let new = try scanning("--name", "kitchen")
        try await all.wait(for: "three advertisements") { Event.all(in: all.output).count >= 3 }
        try await new.tells(["name": "kitchen-7"])
        let lines = try await new.interrupted().events.filter { $0.name == "device" }.map(\.line)
        for (line, next) in zip(lines, lines.dropFirst()) { #expect(line != next) }
        _ = try await all.interrupted()
        await peripheral.stop()
    }

    @Test("A scan on a terminal's behalf shows a line of text for a device")
    func text() async throws {
        let peripheral = try await UsesPeripheral.start(name: "kitchen-7")
        let scan = try RunningTool(
            ["scan", "--adapter", Guest.central, "--duration", "60"],
            in: place
        )
        try await scan.wait(for: "the device") { scan.output.contains("kitchen-7") }
        let result = try await scan.interrupted()
        let line = result.output.split(separator: "\n").first { $0.contains("kitchen-7") } ?? ""
        #expect(line.hasPrefix("\(Guest.deviceAddress)  "), "\(result.output)")
        #expect(line.contains("ffff:00aa01010001"), "\(result.output)")
        await peripheral.stop()
    }

    @Test("A device that has another name is found by that, and told while a scan runs")
    func renamed() async throws {
        let peripheral = try await UsesPeripheral.start(name: "old-name")
        let scan = try scanning()
        try await scan.tells(["address": Guest.deviceAddress, "name": "old-name"])
        try await peripheral.rename("new-name")
        try await scan.tells(["address": Guest.deviceAddress, "name": "new-name"])
        _ = try await scan.interrupted()
        // A link makes the daemon read the name in the device's own table too.
        for _ in 0..<3 {
            let result = try await place.run("read", "new-name", "2a19", "--adapter", "hci0")
            #expect(result.status == 0, "\(result.errors)")
            #expect(result.output.hasPrefix("2a"))
        }
        let old = try await place.run("read", "old-name", "2a19", "--adapter", "hci0")
        #expect(old.status == 69, "\(old.output)")
        #expect(old.errors.contains("old-name was not heard"), "\(old.errors)")
        #expect(old.isOneSentence)
        await peripheral.stop()
    }

    /// Starts a scan that lasts until it is interrupted.
    private func scanning(_ arguments: String...) throws -> RunningTool {
        let limit = arguments.contains("--duration") ? [] : ["--duration", "600"]
        return try RunningTool(
            ["scan", "--adapter", Guest.central, "--json"] + arguments + limit,
            in: place
        )
    }
}

extension RunningTool {
    /// Waits until a line of JSON has these fields.
    func tells(_ fields: [String: String]) async throws {
        try await output { line in
            fields.allSatisfy { line[$0.key] as? String == $0.value }
        }
    }

    /// Ends it as a person does.
    func interrupted() async throws -> ToolResult {
        send(2)
        return try await end(within: 30)
    }
}
