package import BlueZ

/// The reason why no device could be chosen.
package enum DeviceSearchError: Error, Sendable, CustomStringConvertible {
    /// The largest number of devices that a message names.
    private static let namedCountMax = 4

    /// No matching device was heard.
    case none(DeviceTarget)
    /// More than one device matches.
    case several(DeviceTarget, [Discovery])
    /// The search failed.
    case daemon(BlueZError)

    /// One sentence that says what happened and what to do next.
    package var description: String {
        switch self {
        case .none(.onlyOne):
            "No device that runs bleota was heard; bring one in range and see that it advertises, "
                + "or name one with --device: bleota scan shows which there are."
        case .none(let target):
            "\(target) was not heard; bring it in range and see that it advertises: bleota scan "
                + "shows which devices there are."
        case .several(_, let found):
            "\(found.count) devices are meant: \(Self.names(found)); name one of them with "
                + "--device, best by its address: bleota scan shows all."
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
