/// A service that this machine offers.
public struct LocalService: Sendable {
    /// The service's UUID.
    public let uuid: BluetoothUUID
    /// Whether the service is primary; a secondary service exists only to be included by others.
    public let isPrimary: Bool
    /// The included services of the same application; each UUID selects the first other service
    /// that has it.
    public let includes: [BluetoothUUID]
    /// The service's characteristics.
    public let characteristics: [LocalCharacteristic]

    /// Creates a service.
    public init(
        _ uuid: BluetoothUUID,
        isPrimary: Bool = true,
        includes: [BluetoothUUID] = [],
        characteristics: [LocalCharacteristic]
    ) {
        self.uuid = uuid
        self.isPrimary = isPrimary
        self.includes = includes
        self.characteristics = characteristics
    }
}
