/// A service that this machine offers.
public struct LocalService: Sendable {
    /// What it is.
    public let uuid: BluetoothUUID
    /// Whether it stands for itself, or is only there to be included.
    public let isPrimary: Bool
    /// Services of the same application that it includes: of each UUID the first other service.
    public let includes: [BluetoothUUID]
    /// Its characteristics.
    public let characteristics: [LocalCharacteristic]

    /// Makes a service.
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
