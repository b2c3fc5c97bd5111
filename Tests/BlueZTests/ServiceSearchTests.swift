import BlueZ
import Testing

@Suite("Finding a device by its service", .timeLimit(.minutes(1)))
struct ServiceSearchTests {
    private static let battery = BluetoothUUID(0x180F)
    private static let other = BluetoothAddress("00:AA:01:02:00:02")!

    @Test("one that is connected already is found at once, though nobody hears it")
    func connected() async throws {
        let bench = try await BlueZBench { daemon in
            daemon.updateObjects { $0[Fake.peer]?[Fake.device]?["RSSI"] = nil }
        }
        #expect(try bench.adapter.connectedDevices(offering: Fake.updateService).isEmpty)
        try await bench.device.connect()
        let found = try await bench.adapter.device(offering: Fake.updateService, within: .zero)
        #expect(found == (try bench.device))
        #expect(bench.daemon.calls(of: "StartDiscovery").isEmpty)
        #expect(try bench.adapter.connectedDevices(offering: Self.battery).isEmpty)
        // A scan tells of it as well.
        let stream = try await bench.adapter.scan(ScanFilter(services: [Fake.updateService]))
        for await discovery in stream {
            #expect(discovery.device == found && discovery.isConnected && discovery.rssi == nil)
            break
        }
    }

    @Test("so is one whose service was found over the link only")
    func notAdvertised() async throws {
        let bench = try await BlueZBench { daemon in
            daemon.change(Fake.peer, Fake.device, quietly: ["UUIDs": .strings([])])
        }
        try await bench.device.connect()
        let found = try await bench.adapter.device(offering: Fake.updateService, within: .zero)
        #expect(found == (try bench.device))
    }

    @Test(
        "any other is found when it is heard, and the scan is over then",
        arguments: [true, false]
    )
    func heard(_ hasLimit: Bool) async throws {
        let bench = try await BlueZBench()
        let adapter = try bench.adapter
        let searching = Task {
            try await adapter.device(
                offering: Self.battery,
                within: hasLimit ? .seconds(50) : nil
            )
        }
        try await bench.daemon.called("StartDiscovery")
        let filter = bench.daemon.calls(of: "SetDiscoveryFilter")[0].options
        #expect(filter["UUIDs"] == .strings([Self.battery.text]))
        let path = Fake.path(of: Self.other)
        let interfaces = Fake.deviceInterfaces(Self.other, services: [Self.battery])
        try await bench.daemon.add(path, interfaces)
        #expect(try await searching.joined.path == path)
        try await bench.daemon.called("StopDiscovery")
    }

    @Test("one that is not heard in time is an error that names the service")
    func none() async throws {
        let bench = try await BlueZBench()
        let error = BlueZError.timedOut("Looking for a device with service 180f")
        await #expect(throws: error) {
            _ = try await bench.adapter.device(offering: Self.battery, within: .milliseconds(50))
        }
        try await bench.daemon.called("StopDiscovery")
    }

    @Test(
        "what ends the scan is the error",
        arguments: [
            ("power", .adapterOff), ("removal", .noAdapter("hci0")), ("daemon", .noDaemon),
            ("caller", .cancelled),
        ] as [(String, BlueZError)]
    )
    func ends(_ how: String, _ error: BlueZError) async throws {
        let bench = try await BlueZBench()
        let adapter = try bench.adapter
        let searching = Task { try await adapter.device(offering: Self.battery, within: nil) }
        try await bench.daemon.called("StartDiscovery")
        switch how {
        case "power":
            try await bench.daemon.change(Fake.hci0, Fake.adapter, ["Powered": .boolean(false)])
        case "removal": try await bench.daemon.remove(Fake.hci0)
        case "daemon": bench.daemon.stop()
        default: searching.cancel()
        }
        await #expect(throws: error) { try await searching.joined }
    }
}
