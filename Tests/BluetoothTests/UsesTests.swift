import BLEOTA
import BLEOTABlueZ
import BLEOTATestSupport
import BlueZ
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

    @Test(
        "An adapter says that it is on, off and gone, and a client lives through it",
        .enabled(if: Guest.isEmulated, "unplugs the adapters")
    )
    func adapterStates() async throws {
        let client = try await BlueZClient.open(within: .seconds(30))
        defer { client.close() }
        let adapter = try client.adapter(Guest.device)
        #expect(adapter.state == .on)
        try await Guest.switchAdapter(Guest.device, on: false)
        try await UsesPatience.wait(for: "off") { adapter.state == .off }
        try await adapter.setPowered(true)
        #expect(adapter.state == .on)
        try await Guest.stopRadio()
        try await UsesPatience.wait(for: "no adapter") { client.adapters.isEmpty }
        #expect(adapter.state == .unknown)
        let result = try await place.run("scan")
        #expect(result.status == 69)
        #expect(result.errors.contains("This machine has no Bluetooth adapter"))
        #expect(result.isOneSentence, "\(result.errors)")
        try await Guest.startRadio()
        try await UsesPatience.wait(for: "both adapters") {
            client.adapters.map(\.state) == [.on, .on]
        }
    }

    @Test(
        "A scan ends with a sentence when what it needs goes away",
        arguments: Guest.isEmulated ? ["adapter", "controller", "daemon", "crash"] : ["adapter"]
    )
    func scanCutShort(what: String) async throws {
        let peripheral = try await UsesPeripheral.start()
        let scan = try scanning("--duration", "300")
        try await scan.tells(["address": Guest.deviceAddress])
        await peripheral.stop()
        switch what {
        case "adapter": try await Guest.switchAdapter(Guest.central, on: false)
        case "controller": try await Guest.stopRadio()
        case "daemon": try await Guest.stopDaemon()
        default: try await Guest.run("guest-bluetoothd", "kill")
        }
        let result = try? await scan.end(within: 30)
        switch what {
        case "adapter": try await Guest.switchAdapter(Guest.central, on: true)
        case "controller": try await Guest.startRadio()
        default: try await Guest.startDaemon()
        }
        let ended = try #require(result, "it scans on without a radio")
        #expect(ended.status == 69, "\(ended.status) \(ended.errors)")
        #expect(ended.isOneSentence, "\(ended.errors)")
    }

    @Test("A scan tells devices with a service or a prefix of the name, and no others")
    func filters() async throws {
        // Of a device that was connected before, the daemon tells the services it had then.
        try await UsesPython.forgetDevice()
        let peripheral = try await UsesPeripheral.start(name: "kitchen-7")
        // One after the other: an emulated controller reports once, when the first one begins, and
        // what none of those looks for that run then is not kept for others.
        var found: [RunningTool] = []
        for filter in [
            ["--service", UsesPeripheral.main.text], ["--name", "kitchen"],
            ["--service", UsesPeripheral.main.text, "--name", "kitchen-7"],
        ] {
            let scan = try scanning(filter)
            try await scan.tells(["address": Guest.deviceAddress, "name": "kitchen-7"])
            found.append(scan)
        }
        // They hear the same: the daemon joins the filters of its clients.
        let others = [
            try scanning("--service", "180d"), try scanning("--name", "cellar"),
            try scanning("--service", UsesPeripheral.main.text, "--name", "itchen"),
        ]
        // When this one has heard it, those have had as much time.
        let witness = try scanning("--name", "kitchen")
        try await witness.tells(["name": "kitchen-7"])
        for scan in found + [witness] {
            let result = try await scan.interrupted()
            let event = try #require(result.events.last { $0.text("name") == "kitchen-7" })
            #expect(event.number("rssi") != nil)
            #expect(
                (event.fields["services"] as? [String])?.contains(UsesPeripheral.main.text) == true
            )
            // The address that a device carries in its data.
            let data = event.fields["manufacturerData"] as? [String: String]
            #expect(data?["ffff"] == UsesPeripheral.addressDigits)
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
        try await new.tells(["name": "kitchen-7"])
        // An emulated controller reports once a discovery; that of two clients begins anew after
        // 15 s.
        try await all.wait(for: "an advertisement four times", within: 150) {
            let lines = Event.all(in: all.output).map(\.line)
            return lines.contains { line in lines.count { $0 == line } >= 4 }
        }
        let lines = try await new.interrupted().events.filter { $0.name == "device" }.map(\.line)
        for (line, next) in zip(lines, lines.dropFirst()) { #expect(line != next) }
        _ = try await all.interrupted()
        await peripheral.stop()
    }

    @Test("A scan tells what an advertisement has besides: power, data of services, a version")
    func data() async throws {
        let client = try await BlueZClient.open(within: .seconds(30))
        defer { client.close() }
        try await UsesPython.forgetDevice()
        let running = try await RunningAdvertisement.start(
            Advertisement(
                localName: "data",
                serviceData: [
                    BluetoothUUID(0x180F): [99],
                    BluetoothUUID(GATTIdentifiers.service)!: [0x81] + Array("2".utf8),
                ],
                additions: [.txPower]
            ),
            on: client.adapter(Guest.device).path,
            client: client
        )
        let scan = try scanning()
        try await scan.tells(["name": "data"])
        let event = try #require(
            await scan.interrupted().events.last { $0.text("name") == "data" }
        )
        let data = event.fields["serviceData"] as? [String: String]
        #expect(data?["180f"] == "63")
        #expect(event.number("txPower") != nil)
        #expect(event.fields["bleota"] as? Bool == true)
        #expect(event.text("firmwareVersion") == "2")
        #expect(event.fields["updateWanted"] as? Bool == true)
        await running.stop()
    }

    @Test("A device that carries its address in its data is found by that, and connected")
    func addressInData() async throws {
        let peripheral = try await UsesPeripheral.start()
        try await UsesPython.forgetDevice()
        let client = try await BlueZClient.open(within: .seconds(30))
        defer { client.close() }
        let found = try #require(
            await client.adapter(Guest.central).scan().first {
                $0.manufacturerData[0xFFFF] == UsesPeripheral.addressBytes
            }
        )
        try await found.device.connect(within: .seconds(60))
        #expect(found.device.services.contains { $0.uuid == UsesPeripheral.main })
        try await found.device.disconnect()
        await peripheral.stop()
    }

    @Test("An advertisement that is stopped is heard no more")
    func stopped() async throws {
        let peripheral = try await UsesPeripheral.start(name: "soon-gone")
        try await UsesPython.forgetDevice()
        let before = try await place.run(
            "scan",
            "--duration",
            "6",
            "--adapter",
            Guest.central,
            "--json"
        )
        #expect(before.events.contains { $0.text("address") == Guest.deviceAddress })
        await peripheral.stopAdvertising()
        try await UsesPython.forgetDevice()
        let after = try await place.run(
            "scan",
            "--duration",
            "6",
            "--adapter",
            Guest.central,
            "--json"
        )
        #expect(after.status == 0, "\(after.errors)")
        #expect(!after.events.contains { $0.text("address") == Guest.deviceAddress })
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
        #expect(line.contains("ffff:\(UsesPeripheral.addressDigits)"), "\(result.output)")
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
            let result = try await place.run("read", "new-name", "2a19", "--adapter", Guest.central)
            #expect(result.status == 0, "\(result.errors)")
            #expect(result.output.hasPrefix("2a"))
        }
        let old = try await place.run("read", "old-name", "2a19", "--adapter", Guest.central)
        #expect(old.status == 69, "\(old.output)")
        #expect(old.errors.contains("old-name was not found"), "\(old.errors)")
        #expect(old.isOneSentence)
        await peripheral.stop()
    }

    /// Starts a scan that lasts until it is interrupted.
    private func scanning(_ arguments: String...) throws -> RunningTool { try scanning(arguments) }

    private func scanning(_ arguments: [String]) throws -> RunningTool {
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
        do {
            try await output { line in
                fields.allSatisfy { line[$0.key] as? String == $0.value }
            }
        } catch {
            throw GuestFailure("\(error)\n\(try await Guest.stateOfDaemon())")
        }
    }

    /// Ends it as a person does.
    func interrupted() async throws -> ToolResult {
        send(2)
        return try await end(within: 30)
    }
}
