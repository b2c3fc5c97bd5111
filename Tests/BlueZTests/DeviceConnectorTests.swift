import BLEOTA
import BLEOTABlueZ
import BlueZ
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
            .doing({ try await $0.addPeer() }, then: .usual)
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

    /// The emulated controllers measure no RSSI, and a push never went on in one guest of thirty.
    @Test("a lost device that the daemon does not tell of is called all the same")
    func untold() async throws {
        let bench = try await BlueZBench()
        let connector = DeviceConnector(bench.client, to: .address(Fake.address))
        let first = try await connector.connect()
        bench.daemon.always("StartDiscovery", .body([]))
        try await bench.daemon.lose(Fake.peer)
        try await until { first.closeReason != nil }
        try await bench.daemon.removeTree(Fake.peer)
        var unheard = Fake.deviceInterfaces()
        unheard[Fake.device]?["RSSI"] = nil
        try await bench.daemon.addPeer(unheard)
        let second = try await connector.connect()
        try await second.send([1], on: .control, .withResponse)
        await connector.awaitEnd()
    }

    private static let dropped = FakeAnswer.doing(
        { try await $0.lose(Fake.peer) },
        then: .failed("Not connected")
    )

    /// A push ended after a second, whatever its limit.
    @Test(
        "a device that drops its first link while that is made is connected again",
        arguments: ["ReadValue", "AcquireWrite", "StartNotify"]
    )
    func droppedOnce(_ member: String) async throws {
        let bench = try await BlueZBench()
        bench.daemon.answer(member, Self.dropped)
        let connector = DeviceConnector(bench.client, to: .onlyOne)
        let link = try await connector.connect()
        try await link.send([1], on: .control, .withResponse)
        #expect(bench.daemon.calls(of: "Connect").count == 2)
        await connector.awaitEnd()
    }

    /// Release 5.82 kept the old handles of a device whose services had changed while its link
    /// ended, and each link of a push failed with "invalid handle".
    @Test(
        "a device whose services the daemon has wrong is forgotten once, and found anew",
        arguments: ["0x01", "0x12"]
    )
    func outdated(_ code: String) async throws {
        let bench = try await BlueZBench()
        bench.daemon.answer("ReadValue", .failed("Operation failed with ATT error: \(code)"))
        bench.daemon.always(
            "StartDiscovery",
            .doing({ try await $0.addPeer() }, then: .usual)
        )
        let connector = DeviceConnector(bench.client, to: .address(Fake.address))
        let link = try await connector.connect()
        try await link.send([1], on: .control, .withResponse)
        #expect(bench.daemon.calls(of: "RemoveDevice").count == 1)
        await connector.awaitEnd()
    }

    @Test("a device with a bond is not forgotten though the daemon has its services wrong")
    func keptThoughOutdated() async throws {
        let bench = try await BlueZBench()
        bench.daemon.always("ReadValue", .failed("Operation failed with ATT error: 0x01"))
        bench.daemon.updateObjects { objects in
            objects[Fake.peer]?[Fake.device]?["Paired"] = .boolean(true)
        }
        let bonded = DeviceConnector(bench.client, to: .address(Fake.address))
        let error = await #expect(throws: TransferError.self) { _ = try await bonded.connect() }
        #expect(error?.problem == .cannotConnect(BlueZError.att(.invalidHandle).description))
        #expect(bench.daemon.calls(of: "RemoveDevice").isEmpty)
    }

    @Test("a device that drops every link is tried until the time is over, and then given up")
    func droppedAlways() async throws {
        let bench = try await BlueZBench()
        bench.daemon.always("StartNotify", Self.dropped)
        let connector = DeviceConnector(bench.client, to: .onlyOne, within: .seconds(4))
        let error = await #expect(throws: TransferError.self) { _ = try await connector.connect() }
        #expect(error?.problem == .cannotConnect(BlueZError.disconnected.description))
        #expect(bench.daemon.calls(of: "Connect").count >= 2)
    }

    /// It held a push with a limit of 8 s for 37 to 59 s.
    @Test("a device that answers no request is given up when the time is over")
    func mute() async throws {
        let bench = try await BlueZBench()
        bench.daemon.always("ReadValue", .silence)
        let connector = DeviceConnector(bench.client, to: .onlyOne, within: .seconds(2))
        let error = await #expect(throws: TransferError.self) { _ = try await connector.connect() }
        let sentence = BlueZError.timedOut("Setting up the link").description
        #expect(error?.problem == .cannotConnect(sentence))
        #expect(try bench.device.isConnected == false)
    }

    /// The daemon tried to pair by itself, found nobody to ask, and left the call unanswered: the
    /// push ended with "Setting up the link took too long".
    @Test("a device that refuses a subscription without a bond: the error asks to pair")
    func wantsPairing() async throws {
        let bench = try await BlueZBench()
        bench.daemon.always("StartNotify", .silence)
        let connector = DeviceConnector(bench.client, to: .onlyOne, within: .seconds(2))
        let error = await #expect(throws: TransferError.self) { _ = try await connector.connect() }
        #expect(error?.problem == .cannotConnect(BlueZError.needsPairing.description))
        #expect(try bench.device.isConnected == false)
    }

    @Test("a device without the service is no device to try again")
    func noService() async throws {
        let bench = try await BlueZBench { try await $0.removeTree(Fake.update) }
        let connector = DeviceConnector(bench.client, to: .onlyOne)
        let error = await #expect(throws: TransferError.self) { _ = try await connector.connect() }
        let sentence = BlueZError.missing("bleota service").description
        #expect(error?.problem == .cannotConnect(sentence))
        #expect(bench.daemon.calls(of: "Connect").count == 1)
    }

    @Test("whether a device has sent anything, and which version it speaks, is known afterwards")
    func heard() async throws {
        let bench = try await BlueZBench()
        bench.daemon.always("ReadValue", at: Fake.info, .body([.bytes([9])]))
        let connector = DeviceConnector(bench.client, to: .onlyOne)
        #expect(connector.protocolVersion == nil)
        let link = try await connector.connect()
        #expect(connector.protocolVersion == 9)
        #expect(!connector.hasHeard)
        try await bench.daemon.notify(Fake.control, [1])
        _ = try await link.receive()
        #expect(connector.hasHeard)
        await connector.awaitEnd()
        #expect(connector.hasHeard)
    }

    /// It was looked for again and again, with pauses of up to eight seconds.
    @Test("a daemon that is gone is waited for where there was a link")
    func daemonGone() async throws {
        let bench = try await BlueZBench()
        let connector = DeviceConnector(bench.client, to: .onlyOne)
        let first = try await connector.connect()
        bench.daemon.stop()
        try await until { first.closeReason != nil && !bench.client.isDaemonThere }
        let connecting = Task { try await connector.connect() }
        bench.daemon.updateObjects { objects in
            objects[Fake.peer]?[Fake.device]?["Connected"] = .boolean(false)
        }
        // Longer than the pause after which it looks.
        try await Task.sleep(for: .seconds(2))
        try await bench.daemon.start()
        let second = try await connecting.value
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
        let adapter = try bench.adapter
        do throws(DeviceSearchError) {
            let search = DeviceSearch(for: .name("lamp"), over: adapter)
            _ = try await search.find(within: .seconds(20))
            Issue.record("one was chosen")
        } catch {
            guard case .several(_, let found) = error else { throw error }
            #expect(found.map(\.address) == [Fake.address, other])
        }
        try await bench.daemon.called("StopDiscovery")
    }

    @Test("of forty devices a few are named")
    func forty() async throws {
        let bench = try await BlueZBench { daemon in
            for number in 10..<49 {
                let address = BluetoothAddress("00:AA:01:02:00:\(number)")!
                try await daemon.add(Fake.path(of: address), Fake.deviceInterfaces(address))
            }
        }
        let search = DeviceSearch(for: .onlyOne, over: try bench.adapter)
        let error = await #expect(throws: DeviceSearchError.self) {
            _ = try await search.find(within: .seconds(20))
        }
        let sentence = try #require(error).description
        #expect(
            sentence.hasPrefix("40 devices match: 00:AA:01:01:00:01 (lamp), 00:AA:01:02:00:10")
        )
        #expect(sentence.contains("36 more; choose one"))
        #expect(sentence.utf8.count < 300)
    }

    @Test("that a device ends a link before it sends anything is told at once, and only then")
    func silentEnd() async throws {
        let bench = try await BlueZBench()
        let told = Recorder<Int>()
        let connector = DeviceConnector(bench.client, to: .onlyOne, onSilentEnd: { told.append(1) })
        // While the link is made.
        bench.daemon.answer("StartNotify", Self.dropped)
        let first = try await connector.connect()
        #expect(told.elements.count == 1)
        // When it is.
        try await bench.daemon.lose(Fake.peer)
        try await until { first.closeReason != nil }
        let second = try await connector.connect()
        #expect(told.elements.count == 2)
        // The device has sent something, so no pairing is missing.
        try await bench.daemon.notify(Fake.control, [1])
        _ = try await second.receive()
        try await bench.daemon.lose(Fake.peer)
        try await until { second.closeReason != nil }
        _ = try await connector.connect()
        #expect(told.elements.count == 2)
        await connector.awaitEnd()
    }

    /// An emulated controller measures no signal strength, and of a known device whose
    /// advertisement is as before the daemon says nothing.
    @Test("the one device that the daemon remembers is tried where none is heard")
    func remembered() async throws {
        let bench = try await BlueZBench { daemon in
            daemon.updateObjects { $0[Fake.peer]?[Fake.device]?["RSSI"] = nil }
        }
        let search = DeviceSearch(for: .onlyOne, over: try bench.adapter)
        #expect(try await search.find(within: .milliseconds(100)).address == Fake.address)
    }

    @Test("a device that is not heard is not found, within the limit")
    func none() async throws {
        let bench = try await BlueZBench { try await $0.removeTree(Fake.peer) }
        let adapter = try bench.adapter
        do throws(DeviceSearchError) {
            let search = DeviceSearch(for: .onlyOne, over: adapter)
            _ = try await search.find(within: .milliseconds(100))
            Issue.record("something was found")
        } catch {
            guard case .none(.onlyOne) = error else { throw error }
        }
        try await bench.daemon.called("StopDiscovery")
    }
}
