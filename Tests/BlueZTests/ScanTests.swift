import DBus
import Testing

@testable import BlueZ

@Suite("A scan", .timeLimit(.minutes(1)))
struct ScanTests {
    private static let other = BluetoothAddress("00:AA:01:02:00:02")!

    /// Everything that a scan tells.
    private func listen(
        _ adapter: Adapter,
        _ filter: ScanFilter = ScanFilter()
    ) async throws -> (found: Recorder<Discovery>, task: Task<Void, Never>) {
        let found = Recorder<Discovery>()
        let stream = try await adapter.scan(filter)
        return (found, Task { for await discovery in stream { found.append(discovery) } })
    }

    @Test("it sets a filter, always, and begins discovery")
    func filter() async throws {
        let bench = try await BlueZBench()
        let filter = ScanFilter(
            services: [Fake.updateService],
            weakestRSSI: -80,
            tellsDuplicates: true
        )
        let (_, task) = try await listen(bench.adapter, filter)
        defer { task.cancel() }
        let options = bench.daemon.calls(of: "SetDiscoveryFilter")[0].options
        #expect(
            options == [
                "Transport": .string("le"), "Pattern": .string(""),
                "UUIDs": .strings([Fake.updateService.text]), "RSSI": .int16(-80),
                "DuplicateData": .boolean(true),
            ]
        )
        let calls = bench.daemon.calls.elements.map(\.member).suffix(2)
        #expect(Array(calls) == ["SetDiscoveryFilter", "StartDiscovery"])
    }

    /// From 5.67 on an adapter without BR/EDR told no device without the flag "LE General
    /// Discoverable" to a scan whose filter had the transport only.
    @Test("a filter admits devices that are not discoverable, and says no more than it has to")
    func shortFilter() async throws {
        let bench = try await BlueZBench()
        let (_, task) = try await listen(bench.adapter)
        defer { task.cancel() }
        let options = bench.daemon.calls(of: "SetDiscoveryFilter")[0].options
        #expect(options == ["Transport": .string("le"), "Pattern": .string("")])
    }

    @Test("a daemon that knows no patterns gets a filter without")
    func noPattern() async throws {
        let bench = try await BlueZBench()
        bench.daemon.answer(
            "SetDiscoveryFilter",
            .error("org.bluez.Error.InvalidArguments", "Invalid arguments in method call")
        )
        let (found, task) = try await listen(bench.adapter)
        defer { task.cancel() }
        let filters = bench.daemon.calls(of: "SetDiscoveryFilter").map(\.options)
        #expect(
            filters == [
                ["Transport": .string("le"), "Pattern": .string("")], ["Transport": .string("le")],
            ]
        )
        #expect(try await found.first(1)[0].name == "lamp")
    }

    @Test(
        "pitfalls 8 and 9: a discovery that runs already is as good as a new one",
        arguments: [
            FakeAnswer.error("org.bluez.Error.InProgress", "Operation already in progress"),
            .failed("Operation already in progress"),
        ]
    )
    func inProgress(_ answer: FakeAnswer) async throws {
        let bench = try await BlueZBench()
        bench.daemon.always("StartDiscovery", answer)
        let (found, task) = try await listen(bench.adapter)
        defer { task.cancel() }
        #expect(try await found.first(1)[0].name == "lamp")
    }

    /// In one of some thirty runs a scan heard nothing of a device that release 5.66 had found.
    @Test("a device that the daemon has found and not announced is told all the same")
    func unannounced() async throws {
        let bench = try await BlueZBench { daemon in
            daemon.updateObjects { $0[Fake.peer] = nil }
        }
        let stream = try await bench.adapter.scan(
            ScanFilter(),
            restartingEvery: .milliseconds(1)
        )
        bench.daemon.updateObjects { $0[Fake.peer] = Fake.deviceInterfaces() }
        var names = stream.map(\.name).makeAsyncIterator()
        #expect(await names.next() == "lamp")
        // Changes of it are heard from then on.
        try await bench.daemon.change(Fake.peer, Fake.device, ["Name": .string("torch")])
        #expect(await names.next() == "torch")
    }

    @Test("a daemon that never looks is not waited for, for ever", arguments: [true, false])
    func neverDiscovers(isDiscovering: Bool) async throws {
        let bench = try await BlueZBench()
        let busy = FakeAnswer.error("org.bluez.Error.InProgress", "Operation already in progress")
        bench.daemon.always("StartDiscovery", busy)
        try await bench.daemon.change(
            Fake.hci0,
            Fake.adapter,
            ["Discovering": .boolean(isDiscovering)]
        )
        let stream = try await bench.adapter.scan(
            ScanFilter(),
            restartingEvery: .milliseconds(1)
        )
        if isDiscovering {
            // Somebody else does, or this client already.
            let task = Task { for await _ in stream {} }
            while bench.daemon.calls(of: "StartDiscovery").count < 40 { await Task.yield() }
            #expect(bench.daemon.calls(of: "StopDiscovery").count >= 39)
            task.cancel()
        } else {
            for await _ in stream {}
            #expect(bench.daemon.calls(of: "StartDiscovery").count == 22)
        }
    }

    /// The daemon puts it off for five seconds when another client's discovery has just ended; a
    /// scan that began in that time once ended with an error.
    @Test("a discovery may begin late")
    func late() async throws {
        let bench = try await BlueZBench()
        let gate = FakeGate()
        bench.daemon.always("StartDiscovery", .held(gate))
        let opening = Task {
            try await Task.sleep(for: BlueZClient.promptly + .milliseconds(500))
            await gate.open()
        }
        let (found, task) = try await listen(bench.adapter)
        defer { task.cancel() }
        try await opening.value
        #expect(try await found.first(1)[0].name == "lamp")
    }

    @Test("a discovery that can't begin is an error")
    func notReady() async throws {
        let bench = try await BlueZBench()
        bench.daemon.always(
            "StartDiscovery",
            .error("org.bluez.Error.NotReady", "Resource Not Ready")
        )
        await #expect(throws: BlueZError.adapterOff) { _ = try await bench.adapter.scan() }
    }

    @Test("devices of other programs' filters are left out")
    func filteredAgain() async throws {
        let bench = try await BlueZBench()
        let filter = ScanFilter(
            services: [Fake.updateService],
            namePrefix: "la",
            weakestRSSI: -70
        )
        let (found, task) = try await listen(bench.adapter, filter)
        defer { task.cancel() }
        let strangers: [(String, FakeBlueZ.Interfaces)] = [
            ("00:AA:01:02:00:02", Fake.deviceInterfaces(Self.other, services: [])),
            ("00:AA:01:02:00:03", Fake.deviceInterfaces(Self.other, name: "door")),
            ("00:AA:01:02:00:04", Fake.deviceInterfaces(Self.other, rssi: -71)),
            ("00:AA:01:02:00:05", Fake.deviceInterfaces(Self.other, rssi: nil)),
        ]
        for (address, interfaces) in strangers {
            try await bench.daemon.add(Fake.path(of: BluetoothAddress(address)!), interfaces)
        }
        let last = BluetoothAddress("00:AA:01:02:00:06")!
        try await bench.daemon.add(Fake.path(of: last), Fake.deviceInterfaces(last, name: "lake"))
        #expect(try await found.first(2).map(\.name) == ["lamp", "lake"])
        #expect(found.elements.count == 2)
    }

    @Test("a device that the daemon only remembers is told when it is heard")
    func remembered() async throws {
        let bench = try await BlueZBench { daemon in
            daemon.updateObjects { $0[Fake.peer]?[Fake.device]?["RSSI"] = nil }
        }
        let (found, task) = try await listen(bench.adapter)
        defer { task.cancel() }
        try await bench.daemon.change(Fake.peer, Fake.device, ["Paired": .boolean(true)])
        try await bench.daemon.change(Fake.peer, Fake.device, ["RSSI": .int16(-42)])
        #expect(try await found.first(1)[0].rssi == -42)
        #expect(found.elements.count == 1)
    }

    /// The daemon keeps the services that it found over a link, and takes none that are advertised
    /// later, by new firmware for example.
    @Test("a device with other services than it had is told by the data that it advertises")
    func otherServices() async throws {
        let bench = try await BlueZBench { daemon in
            daemon.updateObjects { $0[Fake.peer]?[Fake.device]?["UUIDs"] = .strings([]) }
        }
        let (found, task) = try await listen(
            bench.adapter,
            ScanFilter(services: [Fake.updateService])
        )
        defer { task.cancel() }
        let data = BusValue.options([Fake.updateService.text: .bytes(Array("2.1.0".utf8))])
        try await bench.daemon.change(Fake.peer, Fake.device, ["ServiceData": data])
        #expect(try await found.first(1)[0].serviceData.keys.map(\.self) == [Fake.updateService])
    }

    @Test("a name that comes later is told, and what is not new is not")
    func nameChange() async throws {
        let bench = try await BlueZBench { daemon in
            daemon.updateObjects { $0[Fake.peer]?[Fake.device]?["Name"] = nil }
        }
        let (found, task) = try await listen(bench.adapter)
        defer { task.cancel() }
        try await found.first(1)
        try await bench.daemon.change(Fake.peer, Fake.device, ["RSSI": .int16(-50)])
        try await bench.daemon.change(Fake.peer, Fake.device, ["Name": .string("lamp")])
        #expect(try await found.first(2).map(\.name) == [nil, "lamp"])
    }

    @Test("a scan for duplicates tells what is not new as well")
    func duplicates() async throws {
        let bench = try await BlueZBench()
        let (found, task) = try await listen(bench.adapter, ScanFilter(tellsDuplicates: true))
        defer { task.cancel() }
        try await found.first(1)
        for _ in 0..<2 {
            try await bench.daemon.change(Fake.peer, Fake.device, ["RSSI": .int16(-50)])
        }
        try await found.first(3)
    }

    @Test("pitfall 18: devices of hci10 are not those of hci1")
    func otherAdapter() async throws {
        let (hci1, hci10) = (ObjectPath("/org/bluez/hci1")!, ObjectPath("/org/bluez/hci10")!)
        let bench = try await BlueZBench { daemon in
            try await daemon.add(hci1, Fake.adapterInterfaces())
            try await daemon.add(hci10, Fake.adapterInterfaces())
        }
        let (found, task) = try await listen(bench.client.adapter("hci1"))
        defer { task.cancel() }
        let element = "dev_00_AA_01_01_00_01"
        try await bench.daemon.add(hci10.appending(element), Fake.deviceInterfaces(name: "far"))
        try await bench.daemon.add(hci1.appending(element), Fake.deviceInterfaces(name: "near"))
        #expect(try await found.first(1)[0].name == "near")
    }

    @Test("discovery ends when the task that looks does")
    func dropped() async throws {
        let bench = try await BlueZBench()
        let (found, task) = try await listen(bench.adapter)
        try await found.first(1)
        task.cancel()
        try await bench.daemon.called("StopDiscovery")
    }

    @Test("two scans share one discovery, which ends with the second of them")
    func shared() async throws {
        let bench = try await BlueZBench()
        let (first, one) = try await listen(bench.adapter)
        let (second, two) = try await listen(bench.adapter)
        try await first.first(1)
        try await second.first(1)
        one.cancel()
        await one.value
        try await bench.daemon.change(Fake.peer, Fake.device, ["RSSI": .int16(-20)])
        #expect(try await second.first(2)[1].rssi == -20)
        #expect(bench.daemon.calls(of: "StopDiscovery").isEmpty)
        two.cancel()
        try await bench.daemon.called("StopDiscovery")
    }

    @Test("of two scans neither takes the other's devices away")
    func sharedFilter() async throws {
        let bench = try await BlueZBench()
        let battery = BluetoothUUID(0x180F)
        let (_, one) = try await listen(
            bench.adapter,
            ScanFilter(services: [Fake.updateService], weakestRSSI: -60)
        )
        defer { one.cancel() }
        let (_, two) = try await listen(
            bench.adapter,
            ScanFilter(services: [battery], weakestRSSI: -80, tellsDuplicates: true)
        )
        defer { two.cancel() }
        let options = bench.daemon.calls(of: "SetDiscoveryFilter").last!.options
        #expect(
            Set(options["UUIDs"]?.texts ?? []) == [Fake.updateService.text, battery.text]
        )
        #expect(options["RSSI"] == .int16(-80))
        #expect(options["DuplicateData"] == .boolean(true))
    }

    @Test("it ends with its adapter, however that goes", arguments: ["power", "removal", "daemon"])
    func ends(_ how: String) async throws {
        let bench = try await BlueZBench()
        let (found, task) = try await listen(bench.adapter)
        try await found.first(1)
        switch how {
        case "power":
            try await bench.daemon.change(Fake.hci0, Fake.adapter, ["Powered": .boolean(false)])
        case "removal": try await bench.daemon.remove(Fake.hci0)
        default: bench.daemon.stop()
        }
        await task.value
    }
}
