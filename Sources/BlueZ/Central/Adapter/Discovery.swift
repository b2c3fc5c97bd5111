import DBus

/// A device found by a scan.
public struct Discovery: Sendable, Hashable {
    /// The device, ready to connect to.
    public let device: Device
    /// The device's address.
    public let address: BluetoothAddress
    /// The name in the advertisement or, without one, the last known name.
    public let name: String?
    /// The signal strength of the last advertisement, in dBm.
    public let rssi: Int?
    /// The services that the device advertises or is known to have.
    public let services: [BluetoothUUID]
    /// Manufacturer data by company identifier.
    public let manufacturerData: [UInt16: [UInt8]]
    /// Service data by service UUID.
    public let serviceData: [BluetoothUUID: [UInt8]]
    /// The transmit power that the device advertises, in dBm.
    public let txPower: Int?
    /// Whether the device is connected to this machine.
    public let isConnected: Bool

    /// Whether the device advertises this service or data for it, or is known to have it.
    public func tells(of service: BluetoothUUID) -> Bool {
        services.contains(service) || serviceData[service] != nil
    }

    init?(_ device: Device, _ properties: [String: BusValue]) {
        guard let address = properties["Address"]?.text.flatMap({ BluetoothAddress($0) }) else {
            return nil
        }
        self.device = device
        self.address = address
        // `Alias` is unsuitable: without a name, it is the address with dashes.
        name = properties["Name"]?.text
        rssi = properties["RSSI"]?.integer
        services = (properties["UUIDs"]?.texts ?? []).compactMap { BluetoothUUID($0) }
        var manufacturerData: [UInt16: [UInt8]] = [:]
        for entry in properties["ManufacturerData"]?.entries ?? [] {
            if let company = entry.key.integer.flatMap({ UInt16(exactly: $0) }),
                let bytes = entry.value.byteArray
            {
                manufacturerData[company] = bytes
            }
        }
        self.manufacturerData = manufacturerData
        var serviceData: [BluetoothUUID: [UInt8]] = [:]
        for entry in properties["ServiceData"]?.entries ?? [] {
            if let uuid = entry.key.text.flatMap({ BluetoothUUID($0) }),
                let bytes = entry.value.byteArray
            {
                serviceData[uuid] = bytes
            }
        }
        self.serviceData = serviceData
        txPower = properties["TxPower"]?.integer
        isConnected = properties["Connected"]?.flag ?? false
    }
}
