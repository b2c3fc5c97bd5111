package import BlueZ

/// The reason why no device could be chosen.
package enum DeviceSearchError: Error, Sendable, CustomStringConvertible {
    /// The largest number of devices that a message names.
    private static let namedCountMax = 4

    /// No matching device was found.
    case none(DeviceTarget)
    /// More than one device matches.
    case several(DeviceTarget, [Discovery])
    /// The search failed.
    case daemon(BlueZError)

    /// One sentence that says what happened and what to do next.
    package var description: String {
        switch self {
        case .none(.onlyOne):
            "No device that advertises a suitable update service was found; bring one into range "
                + "and check that it advertises."
        case .none(.successor(let address)):
            "The bootloader of \(address.text) was not found; bring it into range and check that "
                + "it advertises."
        case .none(let target):
            "\(target) was not found; bring it into range and check that it advertises."
        case .several(_, let found):
            "\(found.count) devices match: \(Self.names(found)); choose one by its address."
        case .daemon(let error): error.description
        }
    }

    /// The names of the first devices, and the number of the others.
    private static func names(_ found: [Discovery]) -> String {
        var names = found.prefix(namedCountMax).map { device in
            device.name.map { "\(device.address) (\($0))" } ?? "\(device.address)"
        }
        if found.count > namedCountMax { names.append("\(found.count - namedCountMax) more") }
        return names.joined(separator: ", ")
    }
}
