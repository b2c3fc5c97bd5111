public import BlueZ

/// Why no device could be chosen.
public enum DeviceSearchError: Error, Sendable, CustomStringConvertible {
    /// None was heard.
    case none(DeviceTarget)
    /// More than one is meant.
    case several(DeviceTarget, [Discovery])
    /// It can't be looked for.
    case daemon(BlueZError)

    /// One sentence: what happened and what to do next.
    public var description: String {
        switch self {
        case .none(.onlyOne):
            "No device that runs bleota was heard; bring one in range and see that it advertises, "
                + "or name one with --device: bleota scan shows which there are."
        case .none(let target):
            "\(target) was not heard; bring it in range and see that it advertises: bleota scan "
                + "shows which devices there are."
        case .several(_, let found):
            "Several devices are meant: "
                + found.map { "\($0.address) \($0.name ?? "")" }.joined(separator: ", ")
                + "; name one of them with --device."
        case .daemon(let error): error.description
        }
    }
}
