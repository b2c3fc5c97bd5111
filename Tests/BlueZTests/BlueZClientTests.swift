import BLEOTA
import BLEOTABlueZ
import BlueZ
import DBus
import Testing

@Suite("A client of the daemon", .timeLimit(.minutes(1)))
struct BlueZClientTests {
    @Test("without a bus there is an error that says so")
    func noBus() async throws {
        do {
            _ = try await BlueZClient.open(.at("unix:path=/nonexistent/bus"))
            Issue.record("it opened")
        } catch {
            guard case .noBus(let why) = error else { throw error }
            #expect(!why.isEmpty)
        }
    }

    @Test(
        "without a daemon there is an error that says so, however the bus would start one",
        arguments: [PrivateBus.Activation.none, .failing]
    )
    func noDaemon(_ activation: PrivateBus.Activation) async throws {
        let bus = try PrivateBus(activation: activation)
        await #expect(throws: BlueZError.noDaemon) { try await BlueZClient.open(bus.address) }
    }

    @Test(
        "a daemon that is gone and can't be started is no daemon",
        arguments: [
            PrivateBus.Activation.none, .failing,
        ]
    )
    func goneDaemon(_ activation: PrivateBus.Activation) async throws {
        let bench = try await BlueZBench(activation: activation)
        let device = try bench.device
        bench.daemon.stop()
        await #expect(throws: BlueZError.noDaemon) { try await device.disconnect() }
    }

    @Test("a daemon that does not let us in is an error that says so")
    func accessDenied() async throws {
        let denied = "org.freedesktop.DBus.Error.AccessDenied"
        await #expect(throws: BlueZError.permissionDenied("Rejected")) {
            _ = try await BlueZBench { daemon in
                daemon.always("GetManagedObjects", .error(denied, "Rejected"))
            }
        }
    }

    @Test("a task that is cancelled while it opens hears that, not that there is no daemon")
    func cancelledOpening() async throws {
        let bus = try PrivateBus()
        let daemon = FakeBlueZ(on: bus)
        try await daemon.start()
        let gate = daemon.hold("GetManagedObjects")
        let opening = Task { try await BlueZClient.open(bus.address) }
        try await until { gate.waitingCount == 1 }
        opening.cancel()
        await #expect(throws: BlueZError.cancelled) { try await opening.value }
    }

    @Test("it knows what was there, what comes, what changes, and not what is gone")
    func objects() async throws {
        let bench = try await BlueZBench()
        #expect(try bench.adapter.address == BluetoothAddress("00:AA:01:00:00:42"))
        #expect(try bench.adapter.daemonVersion == "5.66")
        #expect(try bench.adapter.devices.map(\.address) == [Fake.address])
        let other = BluetoothAddress("00:AA:01:02:00:02")!
        let path = Fake.path(of: other)
        try await bench.daemon.add(path, Fake.deviceInterfaces(other, name: "door"))
        try await until { (try? bench.adapter.device(other)?.name) == "door" }
        try await bench.daemon.change(path, Fake.device, ["Name": .string("gate")])
        try await until { (try? bench.adapter.device(other)?.name) == "gate" }
        try await bench.daemon.change(path, Fake.device, [:], invalidated: ["Name"])
        try await until { try! bench.adapter.device(other)?.name == nil }
        try await bench.daemon.remove(path)
        try await until { try! bench.adapter.device(other) == nil }
    }

    @Test("signals that come while the objects are asked for count after them, in their order")
    func earlySignals() async throws {
        let other = BluetoothAddress("00:AA:01:02:00:02")!
        let path = Fake.path(of: other)
        let bench = try await BlueZBench { daemon in
            // The list is made before what the signals tell, and arrives after them.
            let list = daemon.managedObjects
            daemon.answer(
                "GetManagedObjects",
                .doing(
                    { daemon in
                        try await daemon.change(Fake.peer, Fake.device, ["Name": .string("a")])
                        try await daemon.change(Fake.peer, Fake.device, ["Name": .string("b")])
                        try await daemon.add(path, Fake.deviceInterfaces(other))
                        try await daemon.remove(path)
                        try await daemon.remove(Fake.info)
                    },
                    then: .body([list])
                )
            )
        }
        #expect(try bench.device.name == "b")
        #expect(try bench.adapter.device(other) == nil)
        #expect(
            try bench.device.services[0].characteristics.map(\.path).contains(Fake.info) == false
        )
    }

    @Test("pitfall 17: a restart of the daemon is seen as its end and its return")
    func restart() async throws {
        let bench = try await BlueZBench()
        let (events, subscription) = bench.events()
        defer { subscription.end() }
        bench.daemon.stop()
        try await until { !bench.client.isDaemonThere }
        #expect(bench.client.adapters.isEmpty)
        bench.daemon.updateObjects { $0[Fake.peer]?[Fake.device]?["Name"] = .string("new") }
        try await bench.daemon.start()
        try await until { bench.client.isDaemonThere }
        #expect(try bench.device.name == "new")
        let kinds = events.elements.compactMap { event -> String? in
            switch event {
            case .daemonVanished: "vanished"
            case .daemonAppeared: "appeared"
            default: nil
            }
        }
        #expect(kinds == ["vanished", "appeared"])
    }

    @Test("pitfall 17: a daemon that fails at first after its restart is asked again")
    func restartWithFailure() async throws {
        let bench = try await BlueZBench()
        bench.daemon.stop()
        try await until { !bench.client.isDaemonThere }
        bench.daemon.answer("GetManagedObjects", .failed("not yet"))
        try await bench.daemon.start()
        try await until { bench.client.isDaemonThere }
        #expect(try bench.device.name == "lamp")
    }

    @Test("pitfall 17: the end of the bus is the end of the daemon")
    func busEnds() async throws {
        let bench = try await BlueZBench()
        bench.bus.kill()
        try await until { !bench.client.isDaemonThere }
        await #expect(throws: BlueZError.self) { try await bench.adapter.setPowered(true) }
        try bench.bus.start()
        try await bench.daemon.start()
        try await until { bench.client.isDaemonThere }
        #expect(try bench.device.name == "lamp")
    }

    @Test("pitfall 16: four rules for signals, however much it scans, connects and subscribes")
    func matchRules() async throws {
        let bench = try await BlueZBench()
        #expect(try await bench.matchRuleCount() == 4)
        let stream = try await bench.adapter.scan()
        let link = try await CentralTransport.connect(to: bench.device)
        let peripheral = try await Peripheral.start(bench.client)
        #expect(try await bench.matchRuleCount() == 4)
        link.close(.local)
        await link.awaitEnd()
        await peripheral.stop()
        // Nor are they added again after a restart.
        bench.daemon.stop()
        try await until { !bench.client.isDaemonThere }
        try await bench.daemon.start()
        try await until { bench.client.isDaemonThere }
        #expect(try await bench.matchRuleCount() == 4)
        withExtendedLifetime(stream) {}
    }

    @Test("signals that are no daemon's, and bodies of any shape, change nothing")
    func strangeSignals() async throws {
        let bench = try await BlueZBench()
        let bus = try bench.daemon.connection
        let objects = "org.freedesktop.DBus.ObjectManager"
        let properties = "org.freedesktop.DBus.Properties"
        try await bus.emit("InterfacesAdded", of: objects, at: .root, [])
        try await bus.emit("InterfacesAdded", of: objects, at: .root, [.string("x"), .byte(1)])
        try await bus.emit("InterfacesRemoved", of: objects, at: .root, [.path(Fake.peer)])
        try await bus.emit("PropertiesChanged", of: properties, at: Fake.peer, [.byte(1)])
        try await bus.emit(
            "PropertiesChanged",
            of: properties,
            at: Fake.peer,
            [.string(Fake.device), .options(["Connected": .string("yes")]), .strings([])]
        )
        try await bench.daemon.change(Fake.peer, Fake.device, ["Name": .string("end")])
        try await until { (try? bench.device.name) == "end" }
        #expect(try bench.device.isConnected == false)
        #expect(try bench.device.address == Fake.address)
    }

    @Test("nor are those that a stranger sends to this client alone")
    func forgedSignal() async throws {
        let bench = try await BlueZBench()
        try bench.bus.send(
            "org.freedesktop.DBus.ObjectManager.InterfacesRemoved",
            to: await bench.uniqueName(),
            ["objpath:\(Fake.peer)", "array:string:\(Fake.device)"]
        )
        try await bench.daemon.change(Fake.hci0, Fake.adapter, ["Alias": .string("end")])
        try await until { (try? bench.adapter.alias) == "end" }
        #expect(try bench.adapter.device(Fake.address) != nil)
    }

    @Test("a stranger's signals are not the daemon's")
    func stranger() async throws {
        let bench = try await BlueZBench()
        let bus = try await bench.bus.connect()
        try await bus.emit(
            "PropertiesChanged",
            of: "org.freedesktop.DBus.Properties",
            at: Fake.peer,
            [.string(Fake.device), .options(["Name": .string("forged")]), .strings([])]
        )
        _ = try await bus.call(FakeBlueZ.busCall("GetId"))
        try await bench.daemon.change(Fake.peer, Fake.device, ["RSSI": .int16(-1)])
        try await until { (try? bench.device.discovery?.rssi) == -1 }
        #expect(try bench.device.name == "lamp")
    }
}

extension BlueZBench {
    /// How many rules the bus keeps for the client.
    fileprivate func matchRuleCount() async throws -> Int? {
        let name = try await uniqueName()
        // The bus has what the client said before.
        _ = try await client.bus.call(FakeBlueZ.busCall("GetId"))
        let call = MethodCall(
            "org.freedesktop.DBus",
            at: ObjectPath("/org/freedesktop/DBus")!,
            "org.freedesktop.DBus.Debug.Stats",
            "GetConnectionStats",
            [.string(name)]
        )
        let answer = try await daemon.connection.call(call)
        return answer.first?.properties?["MatchRules"]?.integer
    }
}
