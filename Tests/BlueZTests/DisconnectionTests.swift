import BLEOTA
import BLEOTABlueZ
import BlueZ
import DBus
import Testing

@Suite("Why a link ended", .timeLimit(.minutes(1)))
struct DisconnectionTests {
    static let told: [(String?, DisconnectionReason)] = [
        ("Timeout", .timeout), ("Local", .local), ("Remote", .remote),
        ("Authentication", .authentication), ("Suspend", .suspend), ("Unknown", .unknown),
        ("Boredom", .unknown), (nil, .unknown),
    ]

    @Test("who waits for the end of a link hears the daemon's reason", arguments: told)
    func reason(_ name: String?, _ reason: DisconnectionReason) async throws {
        let bench = try await BlueZBench()
        let device = try bench.device
        try await device.connect()
        let waiting = Task { try await device.awaitDisconnection() }
        try await bench.daemon.lose(Fake.peer, because: name)
        #expect(try await waiting.joined == reason)
        // And who comes late.
        #expect(try await device.awaitDisconnection() == reason)
        #expect(device.disconnectionReason == reason)
    }

    @Test("the reason comes before the end, as an event of its own")
    func event() async throws {
        let bench = try await BlueZBench()
        try await bench.device.connect()
        let (events, subscription) = bench.events()
        defer { subscription.end() }
        try await bench.daemon.lose(Fake.peer, because: "Timeout")
        let kinds = try await events.first(3).map { event -> String in
            switch event {
            case .disconnecting(Fake.peer, let reason): "\(reason.rawValue)"
            case .changed(Fake.peer, _, let changed, _): changed.keys.sorted().joined()
            default: "other"
            }
        }
        #expect(kinds == ["ServicesResolved", "Timeout", "Connected"])
    }

    @Test("a reason is that of the last link, and of no other device")
    func lastLink() async throws {
        let other = BluetoothAddress("00:AA:01:02:00:02")!
        let bench = try await BlueZBench { daemon in
            try await daemon.add(Fake.path(of: other), Fake.deviceInterfaces(other))
        }
        let device = try bench.device
        try await device.connect()
        try await bench.daemon.lose(Fake.peer, because: "Timeout")
        #expect(try await device.awaitDisconnection() == .timeout)
        #expect(try bench.adapter.device(other)?.disconnectionReason == .unknown)
        try await device.connect()
        #expect(device.disconnectionReason == .unknown)
        try await bench.daemon.lose(Fake.peer)
        #expect(try await device.awaitDisconnection() == .unknown)
    }

    @Test("of a device that is forgotten, or of a daemon that restarts, no reason is kept")
    func forgotten() async throws {
        let bench = try await BlueZBench()
        for isRestart in [false, true] {
            let device = try bench.device
            try await device.connect()
            try await bench.daemon.lose(Fake.peer, because: "Remote")
            #expect(try await device.awaitDisconnection() == .remote)
            if isRestart {
                bench.daemon.stop()
                try await until { !bench.client.isDaemonThere }
                try await bench.daemon.start()
                try await until { bench.client.isDaemonThere }
            } else {
                let interfaces = bench.daemon.objects[Fake.peer]!
                try await bench.daemon.remove(Fake.peer)
                try await bench.daemon.add(Fake.peer, interfaces)
                try await until { device.isKnown && device.disconnectionReason == .unknown }
            }
            #expect(device.disconnectionReason == .unknown)
        }
    }

    @Test("a signal of another shape, or of another interface, is no reason")
    func strangeSignals() async throws {
        let bench = try await BlueZBench()
        let device = try bench.device
        try await device.connect()
        let bus = try bench.daemon.connection
        let timeout: BusValue = .string("org.bluez.Reason.Timeout")
        try await bus.emit("Disconnected", of: Fake.device, at: Fake.peer, [])
        try await bus.emit("Disconnected", of: Fake.device, at: Fake.peer, [.byte(1)])
        try await bus.emit("Disconnected", of: Fake.device, at: Fake.peer, [.string("Timeout")])
        try await bus.emit("Disconnected", of: "org.bluez.Bearer.LE1", at: Fake.peer, [timeout])
        try await bench.daemon.lose(Fake.peer)
        #expect(try await device.awaitDisconnection() == .unknown)
    }

    static let closed: [(String?, CloseReason)] = [
        ("Timeout", .failed("the link timed out")),
        ("Local", .failed("this machine ended the link")), ("Remote", .remote),
        ("Authentication", .failed("the two ends have different keys: pair again")),
        ("Suspend", .failed("this machine was suspended")), ("Unknown", .remote), (nil, .remote),
    ]

    @Test("a link as central ends with the reason in words", arguments: closed)
    func central(_ name: String?, _ reason: CloseReason) async throws {
        let bench = try await TransportBench()
        try await bench.daemon.lose(Fake.peer, because: name)
        #expect(try await bench.end() == reason)
        await #expect(throws: TransportError.closed(reason)) { try await bench.link.receive() }
        let text = TransferError(.linkLost(reason)).description
        if case .failed(let words) = reason { #expect(text.contains("(\(words))"), "\(text)") }
    }

    @Test("so does a link as a device", arguments: closed)
    func peripheral(_ name: String?, _ reason: CloseReason) async throws {
        let bench = try await BlueZBench()
        let peripheral = try await Peripheral.start(bench.client)
        try await bench.daemon.callOffered("WriteValue", of: GATTIdentifiers.control, [.bytes([1])])
        let link = try #require(await peripheral.accept())
        try await bench.daemon.lose(Fake.peer, because: name)
        try await until { link.closeReason != nil }
        #expect(link.closeReason == reason)
        await peripheral.stop()
    }
}
