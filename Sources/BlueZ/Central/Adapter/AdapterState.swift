/// Whether an adapter can be used, and if not, why.
public enum AdapterState: String, Sendable, Hashable {
    /// The daemon has not said.
    case unknown
    /// It is on its way from one state to another.
    case resetting
    /// It does not do Bluetooth LE in the role that is asked for.
    case unsupported
    /// The machine's switch, or rfkill, keeps it off.
    case blocked
    /// It is switched off.
    case off
    /// It is ready.
    case on
}
