/// Why a link ended, as the controller told the daemon.
public enum DisconnectionReason: String, Sendable, Hashable, CaseIterable, CustomStringConvertible {
    /// Nobody says: BlueZ before 5.83 never does.
    case unknown = "Unknown"
    /// The device was not heard for the supervision timeout: it is out of range, or has no power.
    case timeout = "Timeout"
    /// This machine ended it: some program on it, or the daemon.
    case local = "Local"
    /// The device ended it.
    case remote = "Remote"
    /// The two ends do not have the same keys.
    case authentication = "Authentication"
    /// This machine was suspended.
    case suspend = "Suspend"

    /// The reason that the daemon means by a name such as `org.bluez.Reason.Timeout`.
    init(_ name: String) {
        let prefix = "org.bluez.Reason."
        let name = name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : ""
        self = Self(rawValue: name) ?? .unknown
    }

    /// The reason in a few words.
    public var description: String {
        switch self {
        case .unknown: "the link ended"
        case .timeout: "the device was not heard any more"
        case .local: "this machine ended the link"
        case .remote: "the device ended the link"
        case .authentication: "the keys of the two ends differ: pair again"
        case .suspend: "this machine was suspended"
        }
    }
}
