package import BlueZ

/// The device to connect to.
package enum DeviceTarget: Sendable, Hashable, CustomStringConvertible {
    /// The device with this address.
    case address(BluetoothAddress)
    /// The device with this name.
    case name(String)
    /// The only device that advertises the bleota service.
    case onlyOne

    /// Parses an address; any other text is a name.
    package init(_ text: String) {
        self = BluetoothAddress(text).map { .address($0) } ?? .name(text)
    }

    /// The address, the name, or a phrase for the only device.
    package var description: String {
        switch self {
        case .address(let address): address.text
        case .name(let name): name
        case .onlyOne: "a device that runs bleota"
        }
    }

    /// Whether a discovered device matches.
    func admits(_ found: Discovery) -> Bool {
        switch self {
        case .address(let address): found.address == address
        case .name(let name): found.name == name
        case .onlyOne: found.runsBleota
        }
    }
}
