public import DBus

/// A device that the daemon knows.
public struct Device: Sendable, Hashable {
    /// The client that knows it.
    public let client: BlueZClient
    /// Its object, `/org/bluez/hci0/dev_00_AA_01_01_00_01`.
    public let path: ObjectPath

    init(_ client: BlueZClient, _ path: ObjectPath) {
        self.client = client
        self.path = path
    }

    /// Its address, which is also in the path.
    public var address: BluetoothAddress? {
        let element = path.lastElement
        guard element.hasPrefix("dev_") else { return nil }
        return BluetoothAddress(String(element.dropFirst(4)).replacing("_", with: ":"))
    }

    /// The adapter that knows it.
    public var adapter: Adapter { Adapter(client, path.parent ?? .root) }

    /// The name it gave itself.
    public var name: String? { property("Name")?.text }

    /// Whether the daemon knows it still.
    public var isKnown: Bool { client.look { $0.properties(path, Interface.device) != nil } }

    /// Whether the link is up.
    public var isConnected: Bool { property("Connected")?.flag ?? false }

    /// Whether the link is up and its services are known.
    public var isResolved: Bool {
        isConnected && property("ServicesResolved")?.flag ?? false
    }

    /// Why the last link ended, where the daemon says so; ``DisconnectionReason/unknown``
    /// otherwise, and while the link is up.
    public var disconnectionReason: DisconnectionReason { client.disconnectionReason(of: path) }

    /// Whether keys were exchanged.
    public var isPaired: Bool { property("Paired")?.flag ?? false }

    /// What the daemon knows of it; `nil` if it knows no such device any more.
    public var discovery: Discovery? {
        client.look { $0.properties(path, Interface.device) }.flatMap { Discovery(self, $0) }
    }

    func property(_ name: String) -> BusValue? {
        client.look { $0.property(path, Interface.device, name) }
    }

    /// The same device of the same client.
    public static func == (left: Device, right: Device) -> Bool {
        left.client === right.client && left.path == right.path
    }

    /// By path.
    public func hash(into hasher: inout Hasher) { hasher.combine(path) }
}
