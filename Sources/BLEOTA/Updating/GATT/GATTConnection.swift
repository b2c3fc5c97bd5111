/// A GATT connection to a device, for the protocols of other makers.
///
/// One task uses a connection at a time, except for ``close(_:)``, which any task may call.
package protocol GATTConnection: Sendable {
    /// The negotiated ATT_MTU, 23 to 517 bytes. The longest value is 3 bytes shorter.
    var attMTU: Int { get }
    /// The device's characteristics.
    var characteristics: [GATTCharacteristic] { get }

    /// Reads the value of a characteristic.
    func read(_ characteristic: GATTCharacteristic) async throws(GATTError) -> [UInt8]

    /// Writes a value with a write request, and returns when the device has responded.
    func write(
        _ value: [UInt8],
        to characteristic: GATTCharacteristic
    ) async throws(GATTError)

    /// Writes a value with a write command. Returns when the value is queued, and suspends while
    /// the queue is full. The device may lose the value.
    func command(
        _ value: [UInt8],
        to characteristic: GATTCharacteristic
    ) async throws(GATTError)

    /// Subscribes to notifications or indications.
    func subscribe(to characteristic: GATTCharacteristic) async throws(GATTError)

    /// Waits until at least one notification has arrived, then returns all in order of arrival.
    ///
    /// A cancelled call throws ``GATTError/cancelled`` and loses no notification.
    func receive() async throws(GATTError) -> [GATTNotification]

    /// Closes the connection. Only the reason of the first call is kept.
    func close(_ reason: CloseReason)

    /// The reason the connection has ended; `nil` while it is up.
    var closeReason: CloseReason? { get }
}

extension GATTConnection {
    /// The characteristic with this UUID in this service; `nil` if the device has none.
    package func characteristic(_ uuid: String, of service: String) -> GATTCharacteristic? {
        characteristics.first { $0.uuid == uuid && $0.service == service }
    }

    /// Whether the device has this service.
    package func hasService(_ service: String) -> Bool {
        characteristics.contains { $0.service == service }
    }
}

/// A characteristic of a connected device.
package struct GATTCharacteristic: Sendable, Hashable {
    /// The operations that the device supports.
    package struct Properties: OptionSet, Sendable, Hashable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let read = Properties(rawValue: 1)
        package static let write = Properties(rawValue: 2)
        package static let command = Properties(rawValue: 4)
        package static let notify = Properties(rawValue: 8)
        package static let indicate = Properties(rawValue: 16)
    }

    /// The UUID of the service, in its 128-bit form in lower case.
    package let service: String
    /// The UUID, in its 128-bit form in lower case.
    package let uuid: String
    package let properties: Properties

    package init(service: String, uuid: String, properties: Properties) {
        self.service = service
        self.uuid = uuid
        self.properties = properties
    }
}

/// The value of a notification or an indication.
package struct GATTNotification: Sendable, Hashable {
    /// The UUID of the characteristic, in its 128-bit form in lower case.
    package let characteristic: String
    package let value: [UInt8]

    package init(characteristic: String, value: [UInt8]) {
        self.characteristic = characteristic
        self.value = value
    }
}
