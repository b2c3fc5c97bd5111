import BLEOTA
import BLEOTABlueZ
import BLEOTATestSupport
import BlueZ
import Synchronization
import Testing

/// What people do with a peripheral of their own.
@Suite(
    "Uses: a peripheral",
    .enabled(if: Guest.runs("plain"), "runs in the guest: make test-bluez"),
    .serialized,
    .timeLimit(.minutes(10))
)
struct UsesPeripheralTests {
    private let place = ToolDirectory()

    @Test("Values: fixed, changed, made for each read, in parts from an offset")
    func values() async throws {
        try await withLink { peripheral, service in
            let fixed = try await service.characteristic(UsesPeripheral.fixed)
            #expect(try await fixed.read() == Array("fixed".utf8))
            try peripheral.characteristic(UsesPeripheral.fixed).updateValue([1, 2])
            #expect(try await fixed.read() == [1, 2])
            let counter = try await service.characteristic(UsesPeripheral.counter)
            let first = try await counter.read()
            #expect(try await counter.read() != first)
            let long = try await service.characteristic(UsesPeripheral.long)
            #expect(try await long.read() == UsesPeripheral.longValue)
            #expect(try await long.read(offset: 290) == Array(UsesPeripheral.longValue[290...]))
            await #expect(throws: BlueZError.att(.invalidOffset)) {
                try await long.read(offset: 301)
            }
            let refusing = try await service.characteristic(UsesPeripheral.refusing)
            await #expect(throws: BlueZError.att(.readNotPermitted)) { try await refusing.read() }
            // Without a handler, by its flags alone.
            let writeOnly = try await service.characteristic(UsesPeripheral.answered)
            await #expect(throws: BlueZError.att(.readNotPermitted)) { try await writeOnly.read() }
            let answered = try await service.characteristic(UsesPeripheral.longAnswered)
            #expect(try await answered.read(offset: 290) == Array(UsesPeripheral.longValue[290...]))
            #expect(peripheral.notes.readOffsets == [290])
        }
    }

    @Test("Each error that fits a write reaches the central")
    func errors() async throws {
        try await withLink { peripheral, service in
            let answered = try await service.characteristic(UsesPeripheral.answered)
            try await answered.write([0, 9], as: .request)
            #expect(peripheral.notes.answered == [[0, 9]])
            let passed: [ATTError] = [
                .writeNotPermitted, .invalidOffset, .insufficientAuthorization,
                .invalidAttributeValueLength, .procedureInProgress,
                ATTError(rawValue: 0x80), ATTError(rawValue: 0x9F),
            ]
            for error in passed {
                await #expect(throws: BlueZError.att(error), "\(error)") {
                    try await answered.write([error.rawValue], as: .request)
                }
            }
            // The daemon says the same of what it does not support itself.
            await #expect(throws: BlueZError.notSupported("Operation is not supported")) {
                try await answered.write([ATTError.requestNotSupported.rawValue], as: .request)
            }
            // What the daemon has no word for.
            await #expect(throws: BlueZError.att(.unlikelyError)) {
                try await answered.write([ATTError.insufficientResources.rawValue], as: .request)
            }
            let fixed = try await service.characteristic(UsesPeripheral.fixed)
            await #expect(throws: BlueZError.att(.writeNotPermitted)) {
                try await fixed.write([1], as: .request)
            }
        }
    }

    @Test("Who subscribes is known, and gets each value in order, and who leaves is known too")
    func subscribers() async throws {
        let peripheral = try await UsesPeripheral.start()
        let client = try await BlueZClient.open(within: .seconds(30))
        defer { client.close() }
        let device = try await UsesPeripheral.connected(from: client)
        let service = try await device.service(UsesPeripheral.main)
        let ticks = peripheral.characteristic(UsesPeripheral.ticks)
        #expect(try await !ticks.notify([0]))
        let heard = Mutex<[[UInt8]]>([])
        let remote = try await service.characteristic(UsesPeripheral.ticks)
        let subscription = try await remote.subscribe { value in heard.withLock { $0.append(value) }
        }
        try await peripheral.hasNoted("subscribed \(ticks.uuid)")
        #expect(ticks.isSubscribed)
        let values = (0..<200).map { [UInt8(truncatingIfNeeded: $0), 0xAA] }
        for value in values { #expect(try await ticks.notify(value)) }
        try await UsesPatience.wait(for: "200 values") { heard.withLock { $0.count } >= 200 }
        #expect(heard.withLock { $0 } == values)
        try await remote.unsubscribe()
        subscription.end()
        try await peripheral.hasNoted("unsubscribed \(ticks.uuid)")
        #expect(!ticks.isSubscribed)
        #expect(try await !ticks.notify([1]))
        // Gone with its link, without a word.
        let again = try await remote.subscribe { _ in }
        try await peripheral.hasNoted("subscribed \(ticks.uuid)", count: 2)
        try await device.disconnect()
        try await peripheral.hasNoted("unsubscribed \(ticks.uuid)", count: 2)
        #expect(!ticks.isSubscribed)
        again.end()
        await peripheral.stop()
    }

    @Test("An indication is confirmed, and ends when its central goes")
    func indications() async throws {
        try await withLink { peripheral, service in
            let alerts = peripheral.characteristic(UsesPeripheral.alerts)
            let heard = Mutex<[[UInt8]]>([])
            let remote = try await service.characteristic(UsesPeripheral.alerts)
            let subscription = try await remote.subscribe { value in
                heard.withLock { $0.append(value) }
            }
            try await peripheral.hasNoted("subscribed \(alerts.uuid)")
            for value in 1...5 as ClosedRange<UInt8> { #expect(try await alerts.indicate([value])) }
            try await UsesPatience.wait(for: "all five") { heard.withLock { $0.count } >= 5 }
            #expect(heard.withLock { $0 } == [[1], [2], [3], [4], [5]])
            subscription.end()
        }
    }

    @Test(
        "An indication on its way to a central that goes is an error",
        .enabled(if: Guest.isEmulated, "unplugs the adapters")
    )
    func indicationOfNobody() async throws {
        let peripheral = try await UsesPeripheral.start()
        let client = try await BlueZClient.open(within: .seconds(30))
        defer { client.close() }
        let device = try await UsesPeripheral.connected(from: client)
        let alerts = peripheral.characteristic(UsesPeripheral.alerts)
        let remote = try await device.service(UsesPeripheral.main)
            .characteristic(UsesPeripheral.alerts)
        let subscription = try await remote.subscribe { _ in }
        try await peripheral.hasNoted("subscribed \(alerts.uuid)")
        try await Guest.stallRadio()
        let indicating = Task { try await alerts.indicate([1]) }
        // It takes a process to end the radio, so that the value is on its way before.
        try await Guest.stopRadio()
        if Guest.isOfLaterRelease {
            // This daemon confirms for the central that is gone.
            #expect(try await indicating.value)
        } else {
            await #expect(throws: BlueZError.disconnected) { try await indicating.value }
        }
        try await Guest.startRadio()
        subscription.end()
        await peripheral.stop()
    }

    @Test(
        "A value for encrypted links is read by who pairs, and by nobody else",
        arguments: [true, false]
    )
    func encrypted(allowsPairing: Bool) async throws {
        let client = try await BlueZClient.open(within: .seconds(30))
        defer { client.close() }
        let handler: any PairingHandler = allowsPairing ? JustWorks() : Refusing()
        let agent = try await PairingAgent.register(handler, client: client)
        let service = BluetoothUUID(0x1815)
        let secret = LocalCharacteristic(
            BluetoothUUID(0x2A56),
            .encryptRead,
            reading: .value([0xEC])
        )
        let path = try client.adapter(Guest.device).path
        let application = try await GATTApplication.publish(
            [LocalService(service, characteristics: [secret])],
            on: path,
            client: client
        )
        let advertisement = try await RunningAdvertisement.start(
            Advertisement(localName: "secret", services: [service]),
            on: path,
            client: client
        )
        let device = try await UsesPeripheral.connected(from: client)
        #expect(!device.isPaired)
        let remote = try await device.service(service).characteristic(secret.uuid)
        if allowsPairing {
            try await device.pair()
            #expect(device.isPaired)
            #expect(try await remote.read() == [0xEC])
        } else {
            await #expect(throws: BlueZError.self) { try await device.pair() }
            let error = await #expect(throws: BlueZError.self) { try await remote.read() }
            print("use: read of a secret without pairing: \(error.map { "\($0)" } ?? "")")
            #expect(!device.isPaired)
        }
        try await device.adapter.remove(device)
        for device in try client.adapter(Guest.device).devices {
            try await device.adapter.remove(device)
        }
        await advertisement.stop()
        await application.withdraw()
        await agent.unregister()
    }

    @Test("An advertisement says when it waits for its adapter, comes back, and is over")
    func advertisementStates() async throws {
        let client = try await BlueZClient.open(within: .seconds(30))
        defer { client.close() }
        let states = Mutex<[RegistrationState]>([])
        let running = try await RunningAdvertisement.start(
            Advertisement(localName: "states"),
            on: client.adapter(Guest.device).path,
            client: client
        ) { state in states.withLock { $0.append(state) } }
        func last(is state: RegistrationState) async throws {
            try await UsesPatience.wait(for: "\(state)") { states.withLock { $0.last } == state }
        }
        try await last(is: .registered)
        try await Guest.switchAdapter(Guest.device, on: false)
        try await last(is: .waiting(.adapterOff))
        try await Guest.switchAdapter(Guest.device, on: true)
        try await last(is: .registered)
        await running.stop()
        try await last(is: .over)
    }

    @Test("An advertisement that can't be sent fails with the reason")
    func advertisementFailures() async throws {
        let client = try await BlueZClient.open(within: .seconds(30))
        defer { client.close() }
        let path = try client.adapter(Guest.device).path
        func start(_ name: String) async throws -> RunningAdvertisement {
            try await RunningAdvertisement.start(
                Advertisement(localName: name),
                on: path,
                client: client
            )
        }
        let long = await #expect(throws: BlueZError.self) {
            try await start(String(repeating: "n", count: 40))
        }
        #expect("\(try #require(long))".contains("needs 42 bytes, but holds only 31: name 42"))
        // As many as the adapter sends, and one more.
        var running: [RunningAdvertisement] = []
        var refusal: BlueZError?
        while refusal == nil, running.count < 64 {
            do {
                running.append(try await start("number \(running.count)"))
            } catch let error as BlueZError {
                refusal = error
            }
        }
        print("use: \(running.count) advertisements, then: \(String(describing: refusal))")
        guard case .notSupported(let why)? = refusal else {
            Issue.record("\(running.count) advertisements, then \(String(describing: refusal))")
            return
        }
        #expect(why.contains("advertising instances of the adapter are in use"), "\(why)")
        for each in running { await each.stop() }
        try await Guest.switchAdapter(Guest.device, on: false)
        await #expect(throws: BlueZError.adapterOff) { try await start("off") }
        let tool = try await place.run(
            "receive",
            "--advertise",
            "--allow-unsigned",
            "--adapter",
            Guest.device,
            "--store",
            place.store
        )
        try await Guest.switchAdapter(Guest.device, on: true)
        #expect(tool.status == 69)
        #expect(tool.isOneSentence, "\(tool.errors)")
    }

    @Test("A receiver whose name does not fit says so")
    func longName() async throws {
        let result = try await place.run(
            "receive",
            "--advertise",
            "--allow-unsigned",
            "--adapter",
            Guest.device,
            "--store",
            place.store,
            "--name",
            String(repeating: "n", count: 40)
        )
        #expect(result.status == 64)
        #expect(result.errors.contains("1 to 29 bytes long"), "\(result.errors)")
    }

    /// Refuses everything.
    private struct Refusing: PairingHandler {
        let capability = PairingCapability.nothing
    }

    /// With a central of the library connected to the peripheral.
    private func withLink(
        _ body: (UsesPeripheral, RemoteService) async throws -> Void
    ) async throws {
        let peripheral = try await UsesPeripheral.start()
        let client = try await BlueZClient.open(within: .seconds(30))
        defer { client.close() }
        let device = try await UsesPeripheral.connected(from: client)
        try await body(peripheral, device.service(UsesPeripheral.main))
        try await device.disconnect()
        await peripheral.stop()
    }
}
