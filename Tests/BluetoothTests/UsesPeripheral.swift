import BLEOTA
import BLEOTABlueZ
import BlueZ
import Synchronization

/// A peripheral on hci1 as a user makes one with the library: several services, and each kind of
/// characteristic.
final class UsesPeripheral: Sendable {
    static let main = uuid("00")
    /// Secondary, and included by the main one.
    static let extra = uuid("10")
    static let battery = BluetoothUUID(0x180F)

    static let fixed = uuid("01")
    static let counter = uuid("02")
    static let long = uuid("03")
    static let command = uuid("04")
    /// Answers a write with the error that its first byte says; 0 is none.
    static let answered = uuid("05")
    static let refusing = uuid("06")
    static let ticks = uuid("07")
    static let alerts = uuid("08")
    static let inExtra = uuid("11")
    static let alsoInExtra = uuid("12")
    /// Its handler gets the reads of each part of ``longValue``.
    static let longAnswered = uuid("09")
    static let level = BluetoothUUID(0x2A19)
    static let description = BluetoothUUID(0x2901)

    static let longValue = (0..<300).map { UInt8(truncatingIfNeeded: $0) }

    let client: BlueZClient
    let application: GATTApplication
    let notes: UsesNotes
    private let advertisement: Mutex<RunningAdvertisement?>

    private init(
        _ client: BlueZClient,
        _ application: GATTApplication,
        _ notes: UsesNotes,
        _ advertisement: RunningAdvertisement
    ) {
        self.client = client
        self.application = application
        self.notes = notes
        self.advertisement = Mutex(advertisement)
    }

    /// Publishes the services and advertises the main one.
    static func start(name: String = "uses") async throws -> UsesPeripheral {
        let client = try await BlueZClient.open(within: .seconds(30))
        let path = try client.adapter(Guest.device).path
        let notes = UsesNotes()
        let application = try await GATTApplication.publish(
            services(notes),
            on: path,
            client: client,
            onEvent: { notes.take($0) }
        )
        let advertisement = try await advertise(name, client)
        return UsesPeripheral(client, application, notes, advertisement)
    }

    /// With the address in the manufacturer data, as devices do whose address a central can't see.
    private static func advertise(
        _ name: String,
        _ client: BlueZClient
    ) async throws -> RunningAdvertisement {
        try await RunningAdvertisement.start(
            Advertisement(
                localName: name,
                services: [main],
                manufacturerData: [0xFFFF: addressBytes],
                isDiscoverable: true
            ),
            on: client.adapter(Guest.device).path,
            client: client
        )
    }

    static let addressBytes = Guest.deviceAddress.split(separator: ":").map {
        UInt8($0, radix: 16)!
    }
    static let addressDigits = Guest.deviceAddress.filter { $0 != ":" }.lowercased()

    /// Advertises anew, under another name.
    func rename(_ name: String) async throws {
        await stopAdvertising()
        let running = try await Self.advertise(name, client)
        advertisement.withLock { $0 = running }
    }

    func stopAdvertising() async {
        let running = advertisement.withLock { $0.take() }
        await running?.stop()
    }

    /// Takes everything back.
    func stop() async {
        await stopAdvertising()
        await application.withdraw()
        client.close()
    }

    func characteristic(_ uuid: BluetoothUUID) -> PublishedCharacteristic {
        application.characteristic(uuid)!
    }

    func hasNoted(_ event: String, count: Int = 1) async throws {
        try await UsesPatience.wait(for: "\(event), not only \(notes.events)") {
            notes.events.count { $0 == event } >= count
        }
    }

    /// The device as hci0 sees it, connected.
    static func connected(
        from client: BlueZClient,
        adapter: String = Guest.central
    ) async throws -> Device {
        let search = DeviceSearch(
            for: DeviceTarget(Guest.deviceAddress),
            over: try client.adapter(adapter)
        )
        let device = try await search.find(within: .seconds(60))
        do {
            try await device.connect(within: .seconds(60))
            return device
        } catch BlueZError.objectGone {
            let device = try await search.scan(within: .seconds(60))
            try await device.connect(within: .seconds(60))
            return device
        }
    }

    private static func services(_ notes: UsesNotes) -> [LocalService] {
        [
            LocalService(main, includes: [extra], characteristics: characteristics(notes)),
            LocalService(
                extra,
                isPrimary: false,
                characteristics: [
                    LocalCharacteristic(inExtra, .read, reading: .value([0xE0])),
                    LocalCharacteristic(alsoInExtra, .read, reading: .value([0xE1])),
                ]
            ),
            LocalService(
                battery,
                characteristics: [
                    LocalCharacteristic(level, [.read, .notify], reading: .value([42]))
                ]
            ),
        ]
    }

    private static func characteristics(_ notes: UsesNotes) -> [LocalCharacteristic] {
        [
            LocalCharacteristic(
                fixed,
                .read,
                reading: .value(Array("fixed".utf8)),
                descriptors: [
                    LocalDescriptor(description, reading: .value(Array("a fixed value".utf8)))
                ]
            ),
            LocalCharacteristic(
                counter,
                .read,
                reading: .answered { _ in .success([notes.nextRead()]) }
            ),
            LocalCharacteristic(long, .read, reading: .value(longValue)),
            LocalCharacteristic(
                command,
                .writeWithoutResponse,
                writing: .stream { notes.command($0.value) }
            ),
            LocalCharacteristic(
                answered,
                .write,
                writing: .answered { request in
                    notes.answer(request)
                    let code = request.value.first ?? 0
                    return code == 0 ? .success(()) : .failure(ATTError(rawValue: code))
                }
            ),
            LocalCharacteristic(
                refusing,
                .read,
                reading: .answered { _ in .failure(.readNotPermitted) }
            ),
            LocalCharacteristic(
                longAnswered,
                .read,
                reading: .answered { request in
                    notes.read(atOffset: request.offset)
                    return .success(longValue)
                }
            ),
            LocalCharacteristic(ticks, .notify),
            LocalCharacteristic(alerts, .indicate),
        ]
    }

    private static func uuid(_ digits: String) -> BluetoothUUID {
        BluetoothUUID("b1e07a\(digits)-0000-4000-8000-000000000002")!
    }
}
