import BlueZ
import DBus
import Testing

@Suite("The state of an adapter", .timeLimit(.minutes(1)))
struct AdapterStateTests {
    private static let off: [String: BusValue] = ["Powered": .boolean(false)]
    private static let managers = ["org.bluez.GattManager1", "org.bluez.LEAdvertisingManager1"]
    private let switches = FakeRadioSwitches()

    private func bench(_ properties: [String: BusValue]) async throws -> BlueZBench {
        try await BlueZBench(radioSwitches: switches.folder) { daemon in
            daemon.change(Fake.hci0, Fake.adapter, quietly: properties)
        }
    }

    @Test(
        "it is what the daemon says",
        arguments: [
            ("on", true, .on), ("on", false, .off), ("off", false, .off),
            ("off-blocked", false, .blocked), ("off-enabling", false, .resetting),
            ("on-disabling", true, .resetting), (nil, true, .on), (nil, false, .off),
        ] as [(String?, Bool, AdapterState)]
    )
    func told(_ powerState: String?, _ isPowered: Bool, _ state: AdapterState) async throws {
        var properties: [String: BusValue] = ["Powered": .boolean(isPowered)]
        properties["PowerState"] = powerState.map { .string($0) }
        let bench = try await bench(properties)
        #expect(try bench.adapter.state == state)
        try await bench.daemon.remove(Fake.hci0)
        try await until { bench.client.adapters.isEmpty }
    }

    // MARK: - Blocked

    @Test(
        "where the daemon does not tell, the kernel says what blocks it, and the error what to do",
        arguments: [
            (true, false, .soft, "rfkill unblock bluetooth"), (false, true, .hard, "switch or key"),
            (true, true, .hard, "switch or key"),
        ] as [(Bool, Bool, RadioBlock, String)]
    )
    func blocked(_ soft: Bool, _ hard: Bool, _ block: RadioBlock, _ advice: String) async throws {
        try switches.set(soft: soft, hard: hard)
        let bench = try await bench(Self.off)
        #expect(try bench.adapter.state == .blocked)
        #expect(try bench.adapter.radioBlock == block)
        let error = BlueZError.adapterBlocked(block)
        #expect(throws: error) { try bench.client.readyAdapter() }
        #expect(error.description.contains(advice))
    }

    @Test("an open switch, another adapter's and one of an adapter that is on block nothing")
    func notBlocked() async throws {
        try switches.set(soft: false, hard: false)
        try switches.set(soft: true, hard: true, of: "hci1", number: 1)
        let bench = try await bench(Self.off)
        #expect(try bench.adapter.state == .off)
        #expect(try bench.adapter.radioBlock == nil)
        #expect(throws: BlueZError.adapterOff) { try bench.client.readyAdapter() }
        try switches.set(soft: true, hard: false, number: 7)
        #expect(try bench.adapter.state == .blocked)
        try await bench.daemon.change(Fake.hci0, Fake.adapter, ["Powered": .boolean(true)])
        try await until { (try? bench.adapter.state) == .on }
        #expect(try bench.adapter.radioBlock == nil)
    }

    @Test("of a block that the daemon tells the kernel says which it is, or it is taken for soft")
    func toldBlock() async throws {
        let bench = try await bench(["PowerState": .string("off-blocked")])
        #expect(throws: BlueZError.adapterBlocked(.soft)) { try bench.client.readyAdapter() }
        try switches.set(soft: false, hard: true)
        #expect(throws: BlueZError.adapterBlocked(.hard)) { try bench.client.readyAdapter() }
    }

    @Test("switching on an adapter that is blocked says by what, also where 5.66 says nothing")
    func switchingOn() async throws {
        let bench = try await bench(Self.off)
        bench.daemon.always("Set", .failed("Failed"))
        await #expect(throws: BlueZError.failed("Failed")) {
            try await bench.adapter.setPowered(true)
        }
        try switches.set(soft: true, hard: false)
        await #expect(throws: BlueZError.adapterBlocked(.soft)) {
            try await bench.adapter.setPowered(true)
        }
        try switches.set(soft: false, hard: false)
        bench.daemon.always("Set", .failed("Blocked through rfkill"))
        await #expect(throws: BlueZError.adapterBlocked(.soft)) {
            try await bench.adapter.setPowered(true)
        }
        try switches.set(soft: false, hard: true)
        await #expect(throws: BlueZError.adapterBlocked(.hard)) {
            try await bench.adapter.setPowered(true)
        }
    }

    // MARK: - Roles

    @Test(
        "it can be used in the roles that it has, or that nobody denies",
        arguments: [
            (["central", "peripheral"], true, true), (["central"], true, false),
            (["peripheral"], false, true), ([], false, false), (nil, true, true),
        ] as [([String]?, Bool, Bool)]
    )
    func roles(_ roles: [String]?, _ isCentral: Bool, _ isPeripheral: Bool) async throws {
        let bench = try await BlueZBench { daemon in
            daemon.updateObjects { objects in
                objects[Fake.hci0]?[Fake.adapter]?["Roles"] = roles.map { .strings($0) }
            }
        }
        let adapter = try bench.adapter
        #expect(adapter.supports(.central) == isCentral)
        #expect(adapter.supports(.peripheral) == isPeripheral)
        #expect(adapter.state(for: .central) == (isCentral ? .on : .unsupported))
        #expect(adapter.state(for: .peripheral) == (isPeripheral ? .on : .unsupported))
        #expect(adapter.state == (isCentral || isPeripheral ? .on : .unsupported))
    }

    @Test("without a manager of services or of advertisements it is no device", arguments: managers)
    func withoutManager(_ manager: String) async throws {
        let bench = try await BlueZBench { try await $0.remove(Fake.hci0, only: [manager]) }
        #expect(try bench.adapter.state(for: .peripheral) == .unsupported)
        #expect(try bench.adapter.state(for: .central) == .on)
        #expect(throws: BlueZError.adapterUnsupported("hci0", .peripheral)) {
            try bench.client.readyAdapter("hci0", for: .peripheral)
        }
        #expect(try bench.client.readyAdapter(for: .central).name == "hci0")
    }

    @Test("one that is off and has not the role is not one to switch on")
    func offAndUnsupported() async throws {
        let bench = try await bench(Self.off.merging(["Roles": .strings([])]) { $1 })
        #expect(throws: BlueZError.adapterUnsupported("hci0", nil)) {
            try bench.client.readyAdapter()
        }
    }

    @Test("of several the first that is on and has the role is used, then the first that has it")
    func several() async throws {
        let hci1 = ObjectPath("/org/bluez/hci1")!
        let bench = try await BlueZBench { daemon in
            daemon.change(Fake.hci0, Fake.adapter, quietly: ["Roles": .strings(["central"])])
            try await daemon.add(hci1, Fake.adapterInterfaces(Self.off))
        }
        #expect(try bench.client.adapter(for: .central).name == "hci0")
        #expect(try bench.client.adapter(for: .peripheral).name == "hci1")
        #expect(throws: BlueZError.adapterOff) { try bench.client.readyAdapter(for: .peripheral) }
        try await bench.daemon.remove(hci1)
        try await until { bench.client.adapters.count == 1 }
        #expect(throws: BlueZError.adapterUnsupported("hci0", .peripheral)) {
            try bench.client.readyAdapter(for: .peripheral)
        }
    }
}
