package import BlueZ

/// Why no device could be chosen.
package enum DeviceSearchError: Error, Sendable, CustomStringConvertible {
    /// More than so many devices are not named in a sentence.
    private static let namedCountMax = 4

    /// None was heard.
    case none(DeviceTarget)
    /// More than one is meant.
    case several(DeviceTarget, [Discovery])
    /// It can't be looked for.
    case daemon(BlueZError)

    /// One sentence: what happened and what to do next.
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

    /// The first of them, and how many others there are.
    private static func names(_ found: [Discovery]) -> String {
        var names = found.prefix(namedCountMax).map { device in
            device.name.map { "\(device.address) (\($0))" } ?? "\(device.address)"
        }
        if found.count > namedCountMax { names.append("\(found.count - namedCountMax) more") }
        return names.joined(separator: ", ")
    }
}
