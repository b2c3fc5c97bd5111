import BLEOTA
import BLEOTABlueZ
import BlueZ
import DBus

/// The names of what the fake daemon has.
enum Fake {
    static let adapter = "org.bluez.Adapter1"
    static let device = "org.bluez.Device1"
    static let service = "org.bluez.GattService1"
    static let characteristic = "org.bluez.GattCharacteristic1"

    static let hci0 = ObjectPath("/org/bluez/hci0")!
    static let address = BluetoothAddress("00:AA:01:01:00:01")!
    static let peer = path(of: address)
    static let update = peer.appending("service0010")
    static let info = update.appending("char0011")
    static let control = update.appending("char0013")
    static let data = update.appending("char0016")
    static let dataWithResponse = update.appending("char0018")
    static let dataOut = update.appending("char001a")
    static let updateService = BluetoothUUID(GATTIdentifiers.service)!

    static func path(of address: BluetoothAddress) -> ObjectPath {
        hci0.appending("dev_" + address.text.replacing(":", with: "_"))
    }

    /// An adapter that is on, of BlueZ 5.66.
    static func adapterInterfaces(_ more: [String: BusValue] = [:]) -> FakeBlueZ.Interfaces {
        let properties: [String: BusValue] = [
            "Address": .string("00:AA:01:00:00:42"), "Alias": .string("host"),
            "Powered": .boolean(true), "Modalias": .string("usb:v1D6Bp0246d0542"),
            "Roles": .strings(["central", "peripheral"]),
        ]
        return [
            adapter: properties.merging(more) { _, new in new },
            "org.bluez.GattManager1": [:],
            "org.bluez.LEAdvertisingManager1": ["SupportedInstances": .byte(4)],
        ]
    }

    /// A device that was heard.
    static func deviceInterfaces(
        _ address: BluetoothAddress = Fake.address,
        name: String? = "lamp",
        rssi: Int16? = -50,
        services: [BluetoothUUID] = [Fake.updateService]
    ) -> FakeBlueZ.Interfaces {
        var properties: [String: BusValue] = [
            "Address": .string(address.text), "Connected": .boolean(false),
            "ServicesResolved": .boolean(false), "UUIDs": .strings(services.map(\.text)),
            "Adapter": .path(hci0),
        ]
        properties["Name"] = name.map { .string($0) }
        properties["RSSI"] = rssi.map { .int16($0) }
        return [device: properties]
    }

    /// The objects of the bleota service, with this ATT_MTU, if the daemon tells it.
    static func updateObjects(
        attMTU: UInt16? = 247
    ) -> [(path: ObjectPath, interfaces: FakeBlueZ.Interfaces)] {
        func make(
            _ path: ObjectPath,
            _ uuid: String,
            _ flags: [String]
        ) -> (path: ObjectPath, interfaces: FakeBlueZ.Interfaces) {
            var properties: [String: BusValue] = [
                "UUID": .string(uuid), "Service": .path(update), "Flags": .strings(flags),
            ]
            properties["MTU"] = attMTU.map { .uint16($0) }
            return (path, [characteristic: properties])
        }
        let service: FakeBlueZ.Interfaces = [
            service: [
                "UUID": .string(GATTIdentifiers.service), "Primary": .boolean(true),
                "Device": .path(peer),
            ]
        ]
        return [
            (update, service),
            make(info, GATTIdentifiers.info, ["read"]),
            make(control, GATTIdentifiers.control, ["write", "notify"]),
            make(data, GATTIdentifiers.data, ["write-without-response"]),
            make(dataWithResponse, GATTIdentifiers.dataWithResponse, ["write"]),
            make(dataOut, GATTIdentifiers.dataOut, ["notify", "indicate"]),
        ]
    }

    /// The objects of the service of SMP.
    static func smpObjects() -> [(path: ObjectPath, interfaces: FakeBlueZ.Interfaces)] {
        objects(
            of: "8d53dc1d-1db7-4cd3-868b-8a527460aa84",
            ["da2e7828-fbce-4e01-ae9e-261174997c48": ["write-without-response", "notify"]]
        )
    }

    /// Espressif's OTA.
    static func espObjects() -> [(path: ObjectPath, interfaces: FakeBlueZ.Interfaces)] {
        let uuids = (0x8020...0x8023).map { "0000\(String($0, radix: 16))" }
        let flags = uuids.map { ($0 + "-0000-1000-8000-00805f9b34fb", ["write", "notify"]) }
        return objects(
            of: "00008018-0000-1000-8000-00805f9b34fb",
            Dictionary(uniqueKeysWithValues: flags)
        )
    }

    /// A service of another maker, and its characteristics by their flags.
    private static func objects(
        of uuid: String,
        _ flags: [String: [String]]
    ) -> [(path: ObjectPath, interfaces: FakeBlueZ.Interfaces)] {
        let path = peer.appending("service0030")
        let service: FakeBlueZ.Interfaces = [
            service: [
                "UUID": .string(uuid), "Primary": .boolean(true), "Device": .path(peer),
            ]
        ]
        let characteristics = flags.sorted { $0.key < $1.key }.enumerated().map { index, each in
            let interfaces: FakeBlueZ.Interfaces = [
                characteristic: [
                    "UUID": .string(each.key), "Service": .path(path),
                    "Flags": .strings(each.value), "MTU": .uint16(247),
                ]
            ]
            return (path.appending("char003\(1 + index * 2)"), interfaces)
        }
        return [(path, service)] + characteristics
    }
}
