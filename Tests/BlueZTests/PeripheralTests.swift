import BLEOTA
import BLEOTABlueZ
import BlueZ
import DBus
import Testing

@Suite("This machine as a device", .timeLimit(.minutes(1)))
struct PeripheralTests {
    private static let app = ObjectPath("/org/bleota/app")!

    /// A central writes, as the daemon passes it on.
    private func write(
        _ bytes: [UInt8],
        to uuid: String,
        attMTU: UInt16,
        _ daemon: FakeBlueZ
    ) async throws {
        try await daemon.callOffered("WriteValue", of: uuid, [.bytes(bytes)], attMTU: attMTU)
    }

    @Test(
        "it registers its objects, which the daemon asks for before it answers, and advertises",
        arguments: LinkSecurity.allCases
    )
    func registers(security: LinkSecurity) async throws {
        let bench = try await BlueZBench()
        let peripheral = try await Peripheral.start(
            bench.client,
            name: "kitchen",
            security: security
        )
        let service = try bench.daemon.offeredPath(GATTIdentifiers.service)
        #expect(service.parent == Self.app)
        let needs: [LinkSecurity: [String]] = [
            .encrypted: ["encrypt-write"], .authenticated: ["encrypt-authenticated-write"],
        ]
        let imageNeeds: [LinkSecurity: [String]] = [
            .encrypted: ["encrypt-notify", "encrypt-indicate"],
            .authenticated: ["encrypt-authenticated-notify", "encrypt-authenticated-indicate"],
        ]
        let flags = [
            GATTIdentifiers.info: ["read"],
            // Nothing begins without it.
            GATTIdentifiers.control: ["write", "notify"] + needs[security, default: []],
            GATTIdentifiers.data: ["write-without-response"],
            GATTIdentifiers.dataWithResponse: ["write"],
            // What goes over it is sent to all that subscribe.
            GATTIdentifiers.dataOut: ["notify", "indicate"] + imageNeeds[security, default: []],
        ]
        let objects = try #require(bench.daemon.offers[Self.app]?.content.entries)
        for (uuid, names) in flags {
            let path = try bench.daemon.offeredPath(uuid)
            let entry = try #require(objects.first { $0.key.objectPath == path })
            let properties = entry.value.entries?.first?.value.properties ?? [:]
            #expect(properties["Flags"]?.texts == names)
            // This tells the daemon to use a socket.
            let takesCommands = uuid == GATTIdentifiers.data
            #expect(properties["WriteAcquired"] == (takesCommands ? .boolean(false) : nil))
            #expect(properties["NotifyAcquired"] == nil)
        }
        let advertisement = try #require(bench.daemon.offers.first { $0.key != Self.app })
        #expect(advertisement.value.content.properties?["LocalName"] == .string("kitchen"))
        // From 5.67 on a scan for discoverable devices heard nothing of it without.
        #expect(advertisement.value.content.properties?["Discoverable"] == .boolean(true))
        await peripheral.stop()
        #expect(bench.daemon.offers.isEmpty)
    }

    @Test("the firmware has an advertisement of its own, if there is anything to tell")
    func firmware() async throws {
        let bench = try await BlueZBench()
        let told: [(version: String, wantsUpdate: Bool, data: [UInt8]?)] = [
            ("", false, nil), ("2.1", false, [0x80] + Array("2.1".utf8)), ("", true, [0x81]),
            ("2.1.0-beta.12", false, nil), ("2.1.0-beta.12", true, [0x81]),
        ]
        for (version, wantsUpdate, data) in told {
            let peripheral = try await Peripheral.start(
                bench.client,
                name: "kitchen",
                firmwareVersion: version,
                wantsUpdate: wantsUpdate
            )
            let advertisements = bench.daemon.offers.filter { $0.key != Self.app }
                .compactMap { $0.value.content.properties }
            #expect(advertisements.count == (data == nil ? 1 : 2))
            let withData = advertisements.filter { $0["ServiceData"] != nil }
            #expect(withData.count == (data == nil ? 0 : 1))
            for advertisement in withData {
                let entry = try #require(advertisement["ServiceData"]?.entries?.first)
                #expect(entry.key.text == GATTIdentifiers.service)
                #expect(entry.value.byteArray == data)
                #expect(advertisement["ServiceUUIDs"] == nil)
                #expect(advertisement["LocalName"] == .string("kitchen"))
            }
            await peripheral.stop()
        }
    }

    @Test("an earlier daemon is not asked for flags that it may not know")
    func earlierDaemon() async throws {
        let bench = try await BlueZBench { daemon in
            daemon.change(
                Fake.hci0,
                Fake.adapter,
                quietly: ["Modalias": .string("usb:v1D6Bp0246d0541")]
            )
        }
        let peripheral = try await Peripheral.start(bench.client, security: .encrypted)
        let path = try bench.daemon.offeredPath(GATTIdentifiers.dataOut)
        let objects = try #require(bench.daemon.offers[Self.app]?.content.entries)
        let entry = try #require(objects.first { $0.key.objectPath == path })
        let properties = entry.value.entries?.first?.value.properties ?? [:]
        #expect(properties["Flags"]?.texts == ["notify", "indicate"])
        await peripheral.stop()
    }

    @Test("pitfall 5: a central's first write makes a link, with notifications of MTU - 5 bytes")
    func link() async throws {
        let bench = try await BlueZBench()
        let peripheral = try await Peripheral.start(bench.client)
        try await write([1], to: GATTIdentifiers.control, attMTU: 247, bench.daemon)
        try await write([2], to: GATTIdentifiers.data, attMTU: 247, bench.daemon)
        let link = try #require(await peripheral.accept())
        #expect(link.limits.attMTU == 247)
        #expect(link.limits.dataByteCountMax == 242)
        #expect(link.limits.controlByteCountMax == 242)
        var arrived: [Datagram] = []
        while arrived.count < 2 { arrived += try await link.receive() }
        #expect(
            arrived == [
                Datagram(channel: .control, bytes: [1]),
                Datagram(channel: .data, bytes: [2]),
            ]
        )
        await peripheral.stop()
        #expect(link.closeReason == .local)
    }

    @Test("pitfall 22: what it sends are notifications, which wait for nobody's confirmation")
    func notifies() async throws {
        let bench = try await BlueZBench()
        let peripheral = try await Peripheral.start(bench.client)
        try await write([1], to: GATTIdentifiers.control, attMTU: 247, bench.daemon)
        let link = try #require(await peripheral.accept())
        let (values, subscription) = try await bench.offeredValues()
        defer { subscription.end() }
        // Data out has indications too: which of the two a central gets is its own choice.
        let control = try bench.daemon.offeredPath(GATTIdentifiers.control)
        let dataOut = try bench.daemon.offeredPath(GATTIdentifiers.dataOut)
        for uuid in [GATTIdentifiers.control, GATTIdentifiers.dataOut] {
            try await bench.daemon.callOffered("StartNotify", of: uuid, options: false)
        }
        // Nobody ever calls Confirm.
        for number in UInt8(0)..<3 {
            try await link.send([number], on: .control, .withResponse)
            try await link.send([number], on: .data, .withResponse)
        }
        let arrived = try await values.first(6)
        #expect(arrived.map(\.path) == [control, dataOut, control, dataOut, control, dataOut])
        #expect(arrived.map(\.bytes) == [[0], [0], [1], [1], [2], [2]])
        await peripheral.stop()
    }

    @Test(
        "pitfall 23: who notifies waits while the bus takes nothing, and all arrives in order later"
    )
    func backPressure() async throws {
        let bench = try await BlueZBench()
        let peripheral = try await Peripheral.start(bench.client)
        try await write([1], to: GATTIdentifiers.control, attMTU: 517, bench.daemon)
        let link = try #require(await peripheral.accept())
        let (values, subscription) = try await bench.offeredValues()
        defer { subscription.end() }
        try await bench.daemon.callOffered(
            "StartNotify",
            of: GATTIdentifiers.dataOut,
            options: false
        )
        let count = 5_000
        let sent = Recorder<Int>()
        bench.bus.pause()
        let sending = Task {
            for number in 0..<count {
                let bytes = [UInt8(number >> 8), UInt8(truncatingIfNeeded: number)]
                let rest = [UInt8](repeating: 7, count: 500)
                try await link.send(bytes + rest, on: .data, .withoutResponse)
                sent.append(number)
            }
        }
        try await until { sent.elements.count > 100 }
        // Half a second after the last one there are no more: 256 KiB of ours, and the socket's.
        var (last, stillCount) = (0, 0)
        while stillCount < 500 {
            try await Task.sleep(for: .milliseconds(1))
            stillCount = sent.elements.count == last ? stillCount + 1 : 0
            last = sent.elements.count
        }
        #expect(last < 2_500)
        bench.bus.resume()
        try await sending.joined
        let arrived = try await values.first(count).map { Int($0.bytes[0]) << 8 | Int($0.bytes[1]) }
        #expect(arrived == Array(0..<count))
        await peripheral.stop()
    }

    @Test(
        "a central that only loses an interface of its own keeps its link; one that goes does not"
    )
    func ends() async throws {
        let bench = try await BlueZBench()
        let peripheral = try await Peripheral.start(bench.client)
        try await write([1], to: GATTIdentifiers.control, attMTU: 247, bench.daemon)
        let link = try #require(await peripheral.accept())
        try await bench.daemon.add(Fake.peer, ["org.bluez.Battery1": [:]])
        try await bench.daemon.remove(Fake.peer, only: ["org.bluez.Battery1"])
        try await write([2], to: GATTIdentifiers.control, attMTU: 247, bench.daemon)
        #expect(link.closeReason == nil)
        try await bench.daemon.lose(Fake.peer)
        try await until { link.closeReason == .remote }
        await peripheral.stop()
    }

    @Test(
        "pitfall 17: after a restart of the daemon it is registered again, and its links are over"
    )
    func restart() async throws {
        let bench = try await BlueZBench()
        let peripheral = try await Peripheral.start(bench.client)
        try await write([1], to: GATTIdentifiers.control, attMTU: 247, bench.daemon)
        let link = try #require(await peripheral.accept())
        bench.daemon.stop()
        try await until { link.closeReason == .failed("the Bluetooth daemon stopped") }
        try await bench.daemon.start()
        try await until { bench.daemon.offers.count == 2 }
        try await write([1], to: GATTIdentifiers.control, attMTU: 247, bench.daemon)
        #expect(await peripheral.accept() != nil)
        await peripheral.stop()
    }

    @Test("pitfall 18: an adapter that comes back as hci2 is the same one by its address")
    func anotherNumber() async throws {
        let bench = try await BlueZBench()
        let peripheral = try await Peripheral.start(bench.client)
        try await bench.daemon.remove(Fake.hci0)
        for path in bench.daemon.offers.keys { bench.daemon.keep(nil, at: path) }
        let hci2 = ObjectPath("/org/bluez/hci2")!
        try await bench.daemon.add(hci2, Fake.adapterInterfaces())
        try await until { bench.daemon.offers.count == 2 }
        #expect(bench.daemon.calls(of: "RegisterApplication").last?.path == hci2)
        #expect(bench.daemon.calls(of: "RegisterAdvertisement").last?.path == hci2)
        await peripheral.stop()
    }

    @Test("an adapter that was switched off and on advertises again")
    func powerCycle() async throws {
        let bench = try await BlueZBench()
        let peripheral = try await Peripheral.start(bench.client)
        try await bench.daemon.change(Fake.hci0, Fake.adapter, ["Powered": .boolean(false)])
        let registrations = bench.daemon.calls(of: "RegisterAdvertisement").count
        try await bench.daemon.change(Fake.hci0, Fake.adapter, ["Powered": .boolean(true)])
        try await bench.daemon.called("RegisterAdvertisement", times: registrations + 1)
        await peripheral.stop()
    }

    @Test("services that the daemon does not take are an error, and nothing stays")
    func refused() async throws {
        let bench = try await BlueZBench()
        bench.daemon.answer("RegisterApplication", .failed("No valid service object found"))
        await #expect(throws: BlueZError.failed("No valid service object found")) {
            _ = try await Peripheral.start(bench.client)
        }
        let full = FakeAnswer.error(
            "org.bluez.Error.NotPermitted",
            "Maximum advertisements reached"
        )
        bench.daemon.answer("RegisterAdvertisement", full)
        await #expect(throws: BlueZError.self) { _ = try await Peripheral.start(bench.client) }
        #expect(bench.daemon.offers.isEmpty)
    }
}
