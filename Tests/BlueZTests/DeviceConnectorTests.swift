import BLEOTABlueZ
import Testing

@Suite("Finding a device and connecting to it", .timeLimit(.minutes(1)))
struct DeviceConnectorTests {
    @Test("pitfall 11: a device that the daemon has forgotten is looked for again")
    func forgotten() async throws {
        let bench = try await BlueZBench()
        bench.daemon.answer(
            "Connect",
            .doing(
                { try await $0.removeTree(Fake.peer) },
                then: .error("org.freedesktop.DBus.Error.UnknownObject", "doesn't exist")
            )
        )
        bench.daemon.answer(
            "StartDiscovery",
            .doing(
                { daemon in
                    try await daemon.add(Fake.peer, Fake.deviceInterfaces())
                    for (path, interfaces) in Fake.updateObjects() {
                        try await daemon.add(path, interfaces)
                    }
                },
                then: .usual
            )
        )
        let connector = DeviceConnector(bench.client, to: .address(Fake.address))
        let link = try await connector.connect()
        try await link.send([1], on: .control, .withResponse)
        await connector.awaitEnd()
        #expect(try bench.device.isConnected == false)
    }

    @Test("pitfall 17: after a restart of the daemon the same device is found again")
    func restart() async throws {
        let bench = try await BlueZBench()
        let connector = DeviceConnector(bench.client, to: .onlyOne)
        let first = try await connector.connect()
        bench.daemon.stop()
        try await until { first.closeReason != nil }
        bench.daemon.updateObjects { objects in
            objects[Fake.peer]?[Fake.device]?["Connected"] = .boolean(false)
        }
        try await bench.daemon.start()
        try await until { bench.client.isDaemonThere }
        let second = try await connector.connect()
        try await second.send([1], on: .control, .withResponse)
        await connector.awaitEnd()
    }

    @Test("an adapter that is off is an error that says so")
    func adapterOff() async throws {
        let bench = try await BlueZBench { daemon in
            daemon.change(Fake.hci0, Fake.adapter, quietly: ["Powered": .boolean(false)])
        }
        let connector = DeviceConnector(bench.client, to: .onlyOne)
        await #expect(throws: TransferError.self) { _ = try await connector.connect() }
        #expect(bench.daemon.calls(of: "StartDiscovery").isEmpty)
    }

    @Test("of several devices none is chosen")
    func several() async throws {
        let other = BluetoothAddress("00:AA:01:02:00:02")!
        let bench = try await BlueZBench { daemon in
            try await daemon.add(Fake.path(of: other), Fake.deviceInterfaces(other))
        }
        do throws(DeviceSearchError) {
            let search = DeviceSearch(for: .name("lamp"), over: try! bench.adapter)
            _ = try await search.find(within: .seconds(20))
            Issue.record("one was chosen")
        } catch {
            guard case .several(_, let found) = error else { throw error }
            #expect(found.map(\.address) == [Fake.address, other])
        }
        try await bench.daemon.called("StopDiscovery")
    }

    @Test("a device that is not heard is not found, within the limit")
    func none() async throws {
        let bench = try await BlueZBench { try await $0.removeTree(Fake.peer) }
        do throws(DeviceSearchError) {
            let search = DeviceSearch(for: .onlyOne, over: try! bench.adapter)
            _ = try await search.find(within: .milliseconds(100))
            Issue.record("something was found")
        } catch {
            guard case .none(.onlyOne) = error else { throw error }
        }
        try await bench.daemon.called("StopDiscovery")
    }
}
