package import BlueZ

/// Which device is meant.
package enum DeviceTarget: Sendable, Hashable, CustomStringConvertible {
    /// The one with this address.
    case address(BluetoothAddress)
    /// The one with this name.
    case name(String)
    /// The only one that advertises the bleota service.
    case onlyOne

    /// An address, or else a name.
    package init(_ text: String) {
        self = BluetoothAddress(text).map { .address($0) } ?? .name(text)
    }

    /// The address or the name.
    package var description: String {
        switch self {
        case .address(let address): address.text
        case .name(let name): name
        case .onlyOne: "a device that runs bleota"
        }
    }

    /// Whether a device that was found is meant.
    func admits(_ found: Discovery) -> Bool {
        switch self {
        case .address(let address): found.address == address
        case .name(let name): found.name == name
        case .onlyOne: found.runsBleota
        }
    }
}
