import BlueZ
import DBus
import Testing

@Suite("Waiting for an adapter", .timeLimit(.minutes(1)))
struct AdapterWaitTests {
    private static let off: [String: BusValue] = ["Powered": .boolean(false)]
    private static let on: [String: BusValue] = ["Powered": .boolean(true)]
    /// Much longer than a test takes: what ends the wait is what the test does.
    private static let long = Duration.seconds(50)

    private func benchThatIsOff() async throws -> BlueZBench {
        try await BlueZBench { $0.change(Fake.hci0, Fake.adapter, quietly: Self.off) }
    }

    /// Waits in another task, until the test brings about what it waits for.
    private func waiting(
        _ bench: BlueZBench,
        _ name: String? = nil,
        for role: AdapterRole? = nil,
        within limit: Duration? = AdapterWaitTests.long
    ) -> (task: Task<Adapter, any Error>, isOver: Recorder<Void>) {
        let isOver = Recorder<Void>()
        let task = Task {
            defer { isOver.append(()) }
            return try await bench.client.readyAdapter(name, for: role, within: limit)
        }
        return (task, isOver)
    }

    @Test("one that is ready is there at once")
    func ready() async throws {
        let bench = try await BlueZBench()
        #expect(try await bench.client.readyAdapter(within: .zero).name == "hci0")
        #expect(try await bench.client.readyAdapter("hci0", within: nil).name == "hci0")
    }

    @Test("one that is off is waited for, also without a limit", arguments: [long, nil])
    func switchedOn(_ limit: Duration?) async throws {
        let bench = try await benchThatIsOff()
        let (task, isOver) = waiting(bench, within: limit)
        try await bench.daemon.change(Fake.hci0, Fake.adapter, ["Alias": .string("other")])
        try await until { (try? bench.adapter.alias) == "other" }
        #expect(isOver.elements.isEmpty)
        try await bench.daemon.change(Fake.hci0, Fake.adapter, Self.on)
        #expect(try await task.joined.name == "hci0")
    }

    @Test("one that is plugged in later is waited for, by its address under any number")
    func pluggedIn() async throws {
        let bench = try await BlueZBench { try await $0.remove(Fake.hci0) }
        let (task, isOver) = waiting(bench, "00:AA:01:00:00:42")
        let (hci1, hci2) = (ObjectPath("/org/bluez/hci1")!, ObjectPath("/org/bluez/hci2")!)
        let other: [String: BusValue] = ["Address": .string("00:AA:01:00:00:99")]
        try await bench.daemon.add(hci1, Fake.adapterInterfaces(other))
        try await until { bench.client.adapters.count == 1 }
        #expect(isOver.elements.isEmpty)
        try await bench.daemon.add(hci2, Fake.adapterInterfaces())
        #expect(try await task.joined.name == "hci2")
    }

    @Test("a daemon that restarts is waited for")
    func restart() async throws {
        let bench = try await BlueZBench()
        bench.daemon.stop()
        try await until { !bench.client.isDaemonThere }
        let (task, _) = waiting(bench)
        try await bench.daemon.start()
        #expect(try await task.joined.name == "hci0")
    }

    @Test("one that gets the managers of a device is one then")
    func managersLater() async throws {
        let manager = "org.bluez.LEAdvertisingManager1"
        let bench = try await BlueZBench { try await $0.remove(Fake.hci0, only: [manager]) }
        let (task, isOver) = waiting(bench, for: .peripheral)
        try await bench.daemon.add(Fake.hci0, ["org.bluez.Other1": [:]])
        try await bench.daemon.change(Fake.hci0, Fake.adapter, ["Alias": .string("other")])
        try await until { (try? bench.adapter.alias) == "other" }
        #expect(isOver.elements.isEmpty)
        try await bench.daemon.add(Fake.hci0, [manager: [:]])
        #expect(try await task.joined.name == "hci0")
    }

    @Test("at the limit it is the error of who does not wait")
    func limit() async throws {
        let short = Duration.milliseconds(50)
        let bench = try await benchThatIsOff()
        await #expect(throws: BlueZError.adapterOff) {
            try await bench.client.readyAdapter(within: short)
        }
        await #expect(throws: BlueZError.noAdapter("hci7")) {
            try await bench.client.readyAdapter("hci7", within: short)
        }
        try await bench.daemon.change(Fake.hci0, Fake.adapter, ["Roles": .strings(["central"])])
        try await until { (try? bench.adapter.roles) == ["central"] }
        await #expect(throws: BlueZError.adapterUnsupported("hci0", .peripheral)) {
            try await bench.client.readyAdapter(for: .peripheral, within: short)
        }
        bench.daemon.stop()
        try await until { !bench.client.isDaemonThere }
        await #expect(throws: BlueZError.noDaemon) {
            try await bench.client.readyAdapter(within: short)
        }
        #expect(throws: BlueZError.noDaemon) { try bench.client.readyAdapter() }
    }

    @Test("without a bus it is the bus that is missing")
    func busGone() async throws {
        let bench = try await BlueZBench()
        bench.bus.kill()
        try await until { !bench.client.isDaemonThere }
        await #expect(throws: BlueZError.noBus("the bus closed the connection")) {
            try await bench.client.readyAdapter(within: .milliseconds(50))
        }
    }

    @Test("a task that is cancelled waits no longer, also without a limit")
    func cancelled() async throws {
        let bench = try await benchThatIsOff()
        let (task, _) = waiting(bench, within: nil)
        task.cancel()
        await #expect(throws: BlueZError.cancelled) { try await task.joined }
    }
}
