public import DBus

/// A device that the daemon knows.
public struct Device: Sendable, Hashable {
    /// The client that the device belongs to.
    public let client: BlueZClient
    /// The path of the device's object, such as `/org/bluez/hci0/dev_00_AA_01_01_00_01`.
    public let path: ObjectPath

    init(_ client: BlueZClient, _ path: ObjectPath) {
        self.client = client
        self.path = path
    }

    /// The device's address, parsed from the path.
    public var address: BluetoothAddress? {
        let element = path.lastElement
        guard element.hasPrefix("dev_") else { return nil }
        return BluetoothAddress(String(element.dropFirst(4)).replacing("_", with: ":"))
    }

    /// The address by which the device is connected. After pairing it may differ from the one in
    /// the path.
    package var currentAddress: BluetoothAddress? {
        property("Address")?.text.flatMap { BluetoothAddress($0) }
    }

    /// Whether the address is random and not public.
    package var hasRandomAddress: Bool { property("AddressType")?.text == "random" }

    /// The adapter that the device belongs to.
    public var adapter: Adapter { Adapter(client, path.parent ?? .root) }

    /// The name that the device reports for itself.
    public var name: String? { property("Name")?.text }

    /// Whether the daemon still knows the device.
    public var isKnown: Bool { client.look { $0.properties(path, Interface.device) != nil } }

    /// Whether the link is up.
    public var isConnected: Bool { property("Connected")?.flag ?? false }

    /// Whether the link is up and service discovery has finished.
    public var isResolved: Bool {
        isConnected && property("ServicesResolved")?.flag ?? false
    }

    /// The reason why the most recent link ended, if the daemon reports one; otherwise, and while
    /// the link is up, ``DisconnectionReason/unknown``.
    public var disconnectionReason: DisconnectionReason { client.disconnectionReason(of: path) }

    /// Whether the device is paired.
    public var isPaired: Bool { property("Paired")?.flag ?? false }

    /// The daemon's information on the device; `nil` if the daemon no longer knows the device.
    public var discovery: Discovery? {
        client.look { $0.properties(path, Interface.device) }.flatMap { Discovery(self, $0) }
    }

    func property(_ name: String) -> BusValue? {
        client.look { $0.property(path, Interface.device, name) }
    }

    /// Whether both are the same device of the same client.
    public static func == (left: Device, right: Device) -> Bool {
        left.client === right.client && left.path == right.path
    }

    /// Hashes the path.
    public func hash(into hasher: inout Hasher) { hasher.combine(path) }
}
