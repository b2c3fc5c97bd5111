package import BlueZ

/// The device to connect to.
package enum DeviceTarget: Sendable, Hashable, CustomStringConvertible {
    /// The device with this address.
    case address(BluetoothAddress)
    /// The device with this name.
    case name(String)
    /// The only device in range that advertises one of the services of the search.
    case onlyOne
    /// A device that advertises one of the services of the search from this address or from the
    /// next one, as the bootloader of a device does.
    case successor(of: BluetoothAddress)

    /// Parses an address; any other text is a name.
    package init(_ text: String) {
        self = BluetoothAddress(text).map { .address($0) } ?? .name(text)
    }

    /// The address, the name, or a phrase such as `the device`.
    package var description: String {
        switch self {
        case .address(let address): address.text
        case .name(let name): name
        case .onlyOne: "the device"
        case .successor(let address): "the bootloader of \(address.text)"
        }
    }

    /// Whether a discovered device matches.
    func admits(_ found: Discovery, _ services: [BluetoothUUID]) -> Bool {
        switch self {
        case .address(let address): found.address == address
        case .name(let name): found.name == name
        case .onlyOne: services.contains { found.tells(of: $0) }
        case .successor(let address):
            (found.address == address || found.address == address.successor)
                && services.contains { found.tells(of: $0) }
        }
    }
}
