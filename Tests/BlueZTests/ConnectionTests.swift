import BlueZ
import DBus
import Testing

@Suite("Connecting", .timeLimit(.minutes(1)))
struct ConnectionTests {
    @Test("it connects and finds the services")
    func connects() async throws {
        let bench = try await BlueZBench()
        try await bench.device.connect()
        #expect(try bench.device.isResolved)
        let service = try await bench.device.service(Fake.updateService)
        #expect(service.isPrimary)
        #expect(
            service.characteristics.map(\.path) == [
                Fake.info, Fake.control, Fake.data, Fake.dataWithResponse, Fake.dataOut,
            ]
        )
    }

    @Test("a device that is connected already is taken as it is")
    func connectedAlready() async throws {
        let bench = try await BlueZBench()
        try await bench.device.connect()
        try await bench.device.connect()
        #expect(bench.daemon.calls(of: "Connect").count == 1)
    }

    @Test(
        "pitfalls 8 to 10: what may pass is tried again",
        arguments: [
            FakeAnswer.failed("le-connection-abort-by-local"),
            .failed("br-connection-canceled"),
            .failed("Operation already in progress"),
            .error("org.bluez.Error.InProgress", "In Progress"),
            .failed("Software caused connection abort"),
            .failed("Operation failed with ATT error: 0x0e"),
            .error("org.freedesktop.DBus.Error.LimitsExceeded", "too many"),
        ]
    )
    func triesAgain(_ answer: FakeAnswer) async throws {
        let bench = try await BlueZBench()
        bench.daemon.answer("Connect", answer, answer)
        try await bench.device.connect()
        #expect(bench.daemon.calls(of: "Connect").count == 3)
        #expect(try bench.device.isResolved)
    }

    @Test("what does not pass is an error at once")
    func fails() async throws {
        let bench = try await BlueZBench()
        let failures: [(FakeAnswer, BlueZError)] = [
            (.error("org.bluez.Error.NotReady", ""), .adapterOff),
            (.error("org.bluez.Error.NotSupported", "no LE"), .notSupported("no LE")),
            (
                .error("org.bluez.Error.AuthenticationFailed", ""),
                .pairingFailed("AuthenticationFailed")
            ),
        ]
        for (answer, error) in failures {
            bench.daemon.answer("Connect", answer)
            await #expect(throws: error) { try await bench.device.connect() }
        }
        #expect(bench.daemon.calls(of: "Connect").count == failures.count)
    }

    @Test("a peer that is not there ends at the caller's limit, and the attempt is called off")
    func absent() async throws {
        let bench = try await BlueZBench()
        bench.daemon.always("Connect", .silence)
        await #expect(throws: BlueZError.connectionFailed("no response")) {
            try await bench.device.connect(within: .milliseconds(200))
        }
        try await bench.daemon.called("Disconnect")
    }

    @Test("a limit holds for all attempts together")
    func limit() async throws {
        let bench = try await BlueZBench()
        bench.daemon.always("Connect", .failed("le-connection-abort-by-local"))
        await #expect(throws: BlueZError.connectionFailed("le-connection-abort-by-local")) {
            try await bench.device.connect(within: .milliseconds(400))
        }
    }

    @Test("without a limit it tries until it is cancelled, and the attempt is called off")
    func noLimit() async throws {
        let bench = try await BlueZBench()
        let failure = FakeAnswer.failed("le-connection-abort-by-local")
        bench.daemon.answer("Connect", failure, failure, .silence)
        let device = try bench.device
        let connecting = Task { try await device.connect(within: nil) }
        try await bench.daemon.called("Connect", times: 3)
        #expect(bench.daemon.calls(of: "Disconnect").isEmpty)
        connecting.cancel()
        await #expect(throws: BlueZError.cancelled) { try await connecting.value }
        try await bench.daemon.called("Disconnect")
    }

    @Test("without a limit it connects once the device is there")
    func noLimitConnects() async throws {
        let bench = try await BlueZBench()
        bench.daemon.answer("Connect", .failed("le-connection-abort-by-local"))
        try await bench.device.connect(within: nil)
        #expect(try bench.device.isResolved)
    }

    @Test("without a limit what does not pass is an error at once")
    func noLimitFails() async throws {
        let bench = try await BlueZBench()
        bench.daemon.always("Connect", .error("org.bluez.Error.NotReady", ""))
        await #expect(throws: BlueZError.adapterOff) {
            try await bench.device.connect(within: nil)
        }
    }

    @Test("a link that is never announced is found by asking, as 5.66 needs")
    func neverAnnounced() async throws {
        let bench = try await BlueZBench()
        bench.daemon.keepsSilent(aboutConnected: true, aboutResolved: true)
        try await bench.device.connect()
        #expect(try bench.device.isResolved)
    }

    @Test("the answer may come before the services are known")
    func resolvedLater() async throws {
        let bench = try await BlueZBench()
        bench.daemon.answer(
            "Connect",
            .doing(
                { try await $0.change(Fake.peer, Fake.device, ["Connected": .boolean(true)]) },
                then: .body([])
            )
        )
        let connecting = Task { try await bench.device.connect() }
        try await bench.daemon.called("GetAll", at: Fake.peer)
        try await bench.daemon.change(
            Fake.peer,
            Fake.device,
            ["ServicesResolved": .boolean(true)]
        )
        try await connecting.value
    }

    @Test("an answer about properties does not undo what was told after it")
    func answerThatIsLate() async throws {
        let bench = try await BlueZBench()
        bench.daemon.answer(
            "Connect",
            .doing(
                { try await $0.change(Fake.peer, Fake.device, ["Connected": .boolean(true)]) },
                then: .body([])
            )
        )
        // As if the signal had overtaken the answer, which in the client it can.
        let unresolved: [String: BusValue] = [
            "Connected": .boolean(true), "ServicesResolved": .boolean(false),
        ]
        bench.daemon.answer(
            "GetAll",
            .doing(
                {
                    let changed: [String: BusValue] = ["ServicesResolved": .boolean(true)]
                    try await $0.change(Fake.peer, Fake.device, changed)
                },
                then: .body([.options(unresolved)])
            )
        )
        try await bench.device.connect()
        #expect(bench.daemon.calls(of: "Connect").count == 1)
        #expect(bench.daemon.calls(of: "GetAll").count >= 2)
    }

    @Test("a link that was lost while the services were looked for is made again")
    func lostWhileResolving() async throws {
        let bench = try await BlueZBench()
        bench.daemon.answer(
            "Connect",
            .doing(
                { try await $0.change(Fake.peer, Fake.device, ["Connected": .boolean(true)]) },
                then: .body([])
            )
        )
        let connecting = Task { try await bench.device.connect() }
        try await bench.daemon.called("GetAll", at: Fake.peer)
        try await bench.daemon.lose(Fake.peer)
        try await connecting.value
        #expect(bench.daemon.calls(of: "Connect").count == 2)
    }

    @Test("an answer for a link that is down already is not believed")
    func downAlready() async throws {
        let bench = try await BlueZBench()
        bench.daemon.answer("Connect", .body([]))
        try await bench.device.connect()
        #expect(bench.daemon.calls(of: "Connect").count == 2)
        #expect(try bench.device.isConnected)
    }

    @Test("pitfall 11: a device that is removed while it is connected is gone")
    func removedWhileConnecting() async throws {
        let bench = try await BlueZBench()
        let device = try bench.device
        bench.daemon.answer(
            "Connect",
            .doing(
                { try await $0.removeTree(Fake.peer) },
                then: .error(
                    "org.freedesktop.DBus.Error.UnknownObject",
                    "Method \"Connect\" with signature \"\" doesn't exist"
                )
            )
        )
        await #expect(throws: BlueZError.objectGone(Fake.peer.text)) {
            try await device.connect()
        }
        #expect(!device.isKnown)
    }

    @Test("pitfall 11: a device that is removed while its services are looked for is gone")
    func removedWhileResolving() async throws {
        let bench = try await BlueZBench()
        let device = try bench.device
        bench.daemon.answer(
            "Connect",
            .doing(
                { try await $0.change(Fake.peer, Fake.device, ["Connected": .boolean(true)]) },
                then: .body([])
            )
        )
        let connecting = Task { try await device.connect() }
        try await bench.daemon.called("GetAll", at: Fake.peer)
        try await bench.daemon.removeTree(Fake.peer)
        await #expect(throws: BlueZError.objectGone("The device")) { try await connecting.value }
    }

    @Test("pitfall 17: a daemon that goes away while it connects is no daemon")
    func daemonGoes() async throws {
        let bench = try await BlueZBench()
        bench.daemon.always("Connect", .silence)
        let device = try bench.device
        let connecting = Task { try await device.connect() }
        try await bench.daemon.called("Connect")
        bench.daemon.stop()
        await #expect(throws: BlueZError.noDaemon) { try await connecting.value }
    }

    @Test("a cancelled task calls the attempt off")
    func cancelled() async throws {
        let bench = try await BlueZBench()
        bench.daemon.always("Connect", .silence)
        let device = try bench.device
        let connecting = Task { try await device.connect() }
        try await bench.daemon.called("Connect")
        connecting.cancel()
        await #expect(throws: BlueZError.cancelled) { try await connecting.value }
        try await bench.daemon.called("Disconnect")
    }

    @Test("a task that is cancelled while the services are looked for leaves no link behind")
    func cancelledWhileResolving() async throws {
        let bench = try await BlueZBench()
        let device = try bench.device
        bench.daemon.answer(
            "Connect",
            .doing(
                { try await $0.change(Fake.peer, Fake.device, ["Connected": .boolean(true)]) },
                then: .body([])
            )
        )
        let connecting = Task { try await device.connect() }
        try await bench.daemon.called("GetAll", at: Fake.peer)
        connecting.cancel()
        await #expect(throws: BlueZError.cancelled) { try await connecting.value }
        try await bench.daemon.called("Disconnect")
    }

    @Test("disconnecting waits until the link is down")
    func disconnects() async throws {
        let bench = try await BlueZBench()
        let device = try bench.device
        try await device.connect()
        let gate = bench.daemon.hold("Disconnect")
        let disconnecting = Task { try await device.disconnect() }
        try await until { gate.waitingCount == 1 }
        #expect(device.isConnected)
        await gate.open()
        try await disconnecting.value
        #expect(!device.isConnected)
        try await device.disconnect()
    }

    @Test("pitfall 19: keys that the device has lost are an error of pairing")
    func keysLost() async throws {
        let bench = try await BlueZBench()
        bench.daemon.answer("Pair", .error("org.bluez.Error.AuthenticationFailed", "Failed"))
        await #expect(throws: BlueZError.pairingFailed("AuthenticationFailed")) {
            try await bench.device.pair()
        }
        bench.daemon.answer("Pair", .error("org.bluez.Error.AlreadyExists", "Already Exists"))
        try await bench.device.pair()
        #expect(bench.daemon.objects[Fake.peer]?[Fake.device]?["Trusted"] == .boolean(true))
    }

    @Test("pitfall 12: a service that is told after the services are said to be known is found")
    func servicesLater() async throws {
        let bench = try await BlueZBench { try await $0.removeTree(Fake.update) }
        let device = try bench.device
        try await device.connect()
        let looking = Task { try await device.service(Fake.updateService) }
        try await bench.daemon.addUpdateService()
        let service = try await looking.value
        let control = try await service.characteristic(BluetoothUUID(GATTUUID.control)!)
        #expect(control.path == Fake.control)
    }

    @Test("pitfall 12: a service that never comes is missing")
    func serviceNever() async throws {
        let bench = try await BlueZBench()
        try await bench.device.connect()
        await #expect(throws: BlueZError.missing("service 180f")) {
            try await bench.device.service(BluetoothUUID(0x180F))
        }
    }

    private enum GATTUUID { static let control = "7a3d0003-5c1e-4f0b-9b6a-e2c49d0f2d11" }
}
