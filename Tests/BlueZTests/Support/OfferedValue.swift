import BLEOTABlueZ
import DBus

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
