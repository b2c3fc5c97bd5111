/// The reason why a link ended, as the controller reported it to the daemon.
public enum DisconnectionReason: String, Sendable, Hashable, CaseIterable, CustomStringConvertible {
    /// No reason was reported; BlueZ before 5.83 never reports one.
    case unknown = "Unknown"
    /// Nothing was heard from the device during the supervision timeout. The device is out of range
    /// or has lost power.
    case timeout = "Timeout"
    /// A program on this machine, or the daemon, closed the link.
    case local = "Local"
    /// The device closed the link.
    case remote = "Remote"
    /// The keys of the two devices do not match.
    case authentication = "Authentication"
    /// This machine was suspended.
    case suspend = "Suspend"

    /// Parses the daemon's name for a reason, such as `org.bluez.Reason.Timeout`.
    init(_ name: String) {
        let prefix = "org.bluez.Reason."
        let name = name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : ""
        self = Self(rawValue: name) ?? .unknown
    }

    /// The reason as a short phrase.
    public var description: String {
        switch self {
        case .unknown: "the link ended"
        case .timeout: "the link timed out"
        case .local: "this machine ended the link"
        case .remote: "the device ended the link"
        case .authentication: "the two ends have different keys: pair again"
        case .suspend: "this machine was suspended"
        }
    }
}
