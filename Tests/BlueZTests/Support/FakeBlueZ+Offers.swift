import BLEOTABlueZ
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

/// A value that a program sends to who is subscribed.
struct OfferedValue: Sendable {
    let path: ObjectPath
    let bytes: [UInt8]
}

extension BlueZBench {
    /// Every value that the client's own characteristics send from now on, in order.
    func offeredValues() async throws -> (Recorder<OfferedValue>, BusSubscription) {
        let values = Recorder<OfferedValue>()
        let connection = try daemon.connection
        let client = try await uniqueName()
        let subscription = connection.onSignal { message in
            guard message.sender == client, let path = message.path, message.body.count == 3,
                let value = message.body[1].properties?["Value"]?.byteArray
            else { return }
            values.append(OfferedValue(path: path, bytes: value))
        }
        connection.add(
            MatchRule(sender: client, interface: "org.freedesktop.DBus.Properties")
        )
        _ = try await connection.call(FakeBlueZ.busCall("GetId"))
        return (values, subscription)
    }
}
