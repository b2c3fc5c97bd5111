import BLEOTABlueZ
import BlueZ
import DBus

/// A bus, a fake daemon with one adapter and one device that runs bleota, and a client of it.
struct BlueZBench {
    let bus: PrivateBus
    let daemon: FakeBlueZ
    let client: BlueZClient

    /// - Parameters:
    ///   - radioSwitches: where the kernel shows what blocks an adapter; this machine's do not
    ///     count.
    ///   - prepare: what happens before the client comes.
    init(
        attMTU: UInt16? = 247,
        activation: PrivateBus.Activation = .none,
        radioSwitches: String = "/nowhere",
        _ prepare: (FakeBlueZ) async throws -> Void = { _ in }
    ) async throws {
        bus = try PrivateBus(activation: activation)
        daemon = FakeBlueZ(on: bus)
        try await daemon.start()
        try await daemon.add(Fake.hci0, Fake.adapterInterfaces())
        try await daemon.add(Fake.peer, Fake.deviceInterfaces())
        for (path, interfaces) in Fake.updateObjects(attMTU: attMTU) {
            try await daemon.add(path, interfaces)
        }
        try await prepare(daemon)
        client = try await BlueZClient.open(bus.address, radioSwitches: radioSwitches)
    }

    var adapter: Adapter {
        get throws { try client.adapter("hci0") }
    }

    var device: Device {
        get throws {
            guard let device = try adapter.device(Fake.address) else {
                throw BlueZError.objectGone("the test's device")
            }
            return device
        }
    }

    /// A characteristic of the device, which is connected for it.
    func characteristic(_ path: ObjectPath) async throws -> RemoteCharacteristic {
        try await device.connect(within: .seconds(20))
        let service = try await device.service(Fake.updateService)
        guard let found = service.characteristics.first(where: { $0.path == path }) else {
            throw BlueZError.objectGone("the test's characteristic")
        }
        return found
    }

    /// The client's name on the bus.
    func uniqueName() async throws -> String {
        let names = Recorder<String>()
        let subscription = client.bus.onState { state in
            if case .connected(let name) = state { names.append(name) }
        }
        defer { subscription.end() }
        return try await names.first(1)[0]
    }

    /// Every event that the client tells from now on.
    func events() -> (Recorder<BlueZEvent>, BlueZSubscription) {
        let events = Recorder<BlueZEvent>()
        return (events, client.onEvent { events.append($0) })
    }
}
