import BLEOTABlueZ
import DBus
import Testing

/// What the daemon does with the services of a ``Peripheral``.
extension FakeBlueZ {
    private static let app = ObjectPath("/org/bleota/app")!

    /// Where the characteristic or service with this UUID is.
    func offeredPath(_ uuid: String) throws -> ObjectPath {
        let objects = offers[Self.app]?.content.entries ?? []
        let found = objects.first { entry in
            let interfaces = entry.value.entries ?? []
            return interfaces.contains { $0.value.properties?["UUID"]?.text == uuid }
        }
        return try #require(found?.key.objectPath)
    }

    /// What the characteristic with this UUID has as properties now.
    func offeredProperties(_ uuid: String) async throws -> [String: BusValue] {
        let call = MethodCall(
            try #require(offers[Self.app]?.owner),
            at: try offeredPath(uuid),
            "org.freedesktop.DBus.Properties",
            "GetAll",
            [.string(Fake.characteristic)]
        )
        return try await connection.call(call).first?.properties ?? [:]
    }

    /// Calls `handler` with the names of the properties that an offered object takes back.
    func onPropertiesChanged(
        at path: ObjectPath,
        _ handler: @escaping @Sendable ([String]) -> Void
    ) throws -> BusSubscription {
        let connection = try connection
        connection.add(
            MatchRule(
                sender: try #require(offers[Self.app]?.owner),
                interface: "org.freedesktop.DBus.Properties",
                member: "PropertiesChanged",
                namespace: path
            )
        )
        return connection.onSignal { message in
            guard message.path == path, message.member == "PropertiesChanged" else { return }
            handler(message.body.last?.texts ?? [])
        }
    }

    /// Calls a method of a characteristic for a central, as the daemon does.
    ///
    /// - Parameter options: whether it tells which central; not with StartNotify.
    @discardableResult
    func callOffered(
        _ member: String,
        of uuid: String,
        _ arguments: [BusValue] = [],
        by device: ObjectPath = Fake.peer,
        attMTU: UInt16 = 247,
        options hasOptions: Bool = true
    ) async throws -> [BusValue] {
        let options: BusValue = .options([
            "device": .path(device), "mtu": .uint16(attMTU), "link": .string("LE"),
        ])
        let call = MethodCall(
            try #require(offers[Self.app]?.owner),
            at: try offeredPath(uuid),
            Fake.characteristic,
            member,
            hasOptions ? arguments + [options] : arguments
        )
        return try await connection.call(call)
    }
}
