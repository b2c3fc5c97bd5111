import DBus

/// A device as a scan finds it.
public struct Discovery: Sendable, Hashable {
    /// Its object, to connect to.
    public let device: Device
    /// Its address.
    public let address: BluetoothAddress
    /// The name in its advertisement or, without one, the one it had before.
    public let name: String?
    /// The strength of the last advertisement in dBm.
    public let rssi: Int?
    /// The services that it advertises, or is known to have.
    public let services: [BluetoothUUID]
    /// Data of manufacturers by company identifier.
    public let manufacturerData: [UInt16: [UInt8]]
    /// Data of services.
    public let serviceData: [BluetoothUUID: [UInt8]]
    /// The power it says it sends with, in dBm.
    public let txPower: Int?
    /// Whether it is connected to this machine.
    public let isConnected: Bool

    /// Whether it advertises this service or data of it, or is known to have it.
    public func tells(of service: BluetoothUUID) -> Bool {
        services.contains(service) || serviceData[service] != nil
    }

    init?(_ device: Device, _ properties: [String: BusValue]) {
        guard let address = properties["Address"]?.text.flatMap({ BluetoothAddress($0) }) else {
            return nil
        }
        self.device = device
        self.address = address
        // An alias is the name, or the address with dashes where there is none.
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
