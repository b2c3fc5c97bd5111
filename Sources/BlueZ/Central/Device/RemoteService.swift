public import DBus

/// A service of a connected device.
public struct RemoteService: Sendable {
    private let client: BlueZClient
    /// Its object, `…/service0010`.
    public let path: ObjectPath

    init(_ client: BlueZClient, _ path: ObjectPath) {
        self.client = client
        self.path = path
    }

    /// What it is; `nil` once it is gone.
    public var uuid: BluetoothUUID? { property("UUID")?.text.flatMap { BluetoothUUID($0) } }

    /// Whether it stands for itself, or is only there to be included by others.
    public var isPrimary: Bool { property("Primary")?.flag ?? true }

    /// The services that it includes.
    public var included: [RemoteService] {
        (property("Includes")?.elements ?? []).compactMap(\.objectPath)
            .map { RemoteService(client, $0) }
    }

    /// Its characteristics, in the order of their handles.
    public var characteristics: [RemoteCharacteristic] {
        client.look { tree in tree.paths(with: Interface.characteristic, below: path) }
            .map { RemoteCharacteristic(client, $0) }
    }

    /// The first characteristic with this UUID. The daemon may tell of it a little later than of
    /// the service, so that this waits up to two seconds for it.
    ///
    /// - Throws: ``BlueZError/missing(_:)``.
    public func characteristic(
        _ uuid: BluetoothUUID
    ) async throws(BlueZError) -> RemoteCharacteristic {
        let path = path
        let found = try await client.wait(orNilWithin: .seconds(2)) { tree in
            Self.characteristic(uuid, of: path, in: tree)
        }
        guard let found else { throw .missing("characteristic \(uuid)") }
        return RemoteCharacteristic(client, found)
    }

    /// The first characteristic with this UUID, or `nil` if the daemon knows none now: for one that
    /// the device may leave out.
    public func characteristicIfPresent(_ uuid: BluetoothUUID) -> RemoteCharacteristic? {
        client.look { Self.characteristic(uuid, of: path, in: $0) }
            .map { RemoteCharacteristic(client, $0) }
    }

    private static func characteristic(
        _ uuid: BluetoothUUID,
        of service: ObjectPath,
        in tree: borrowing ObjectTree
    ) -> ObjectPath? {
        tree.paths(with: Interface.characteristic, below: service).first {
            tree.property($0, Interface.characteristic, "UUID")?.text == uuid.text
        }
    }

    private func property(_ name: String) -> BusValue? {
        client.look { $0.property(path, Interface.service, name) }
    }
}
