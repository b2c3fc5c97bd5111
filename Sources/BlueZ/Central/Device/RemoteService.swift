public import DBus

/// A service on a connected device.
public struct RemoteService: Sendable {
    private let client: BlueZClient
    /// The path of the service's object, such as `…/service0010`.
    public let path: ObjectPath

    init(_ client: BlueZClient, _ path: ObjectPath) {
        self.client = client
        self.path = path
    }

    /// The UUID; `nil` after the service has been removed.
    public var uuid: BluetoothUUID? { property("UUID")?.text.flatMap { BluetoothUUID($0) } }

    /// Whether the service is primary; a secondary service exists only to be included by others.
    public var isPrimary: Bool { property("Primary")?.flag ?? true }

    /// The included services.
    public var included: [RemoteService] {
        (property("Includes")?.elements ?? []).compactMap(\.objectPath)
            .map { RemoteService(client, $0) }
    }

    /// The characteristics, in the order of their handles.
    public var characteristics: [RemoteCharacteristic] {
        client.look { tree in tree.paths(with: Interface.characteristic, below: path) }
            .map { RemoteCharacteristic(client, $0) }
    }

    /// Returns the first characteristic with this UUID. The daemon may announce it slightly later
    /// than the service, so this method waits up to two seconds.
    ///
    /// - Throws: ``BlueZError/missing(_:)`` if the service has no such characteristic.
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

    /// The first characteristic with this UUID that the daemon knows now, or `nil`. Use this for
    /// an optional characteristic.
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
