/// Whether an adapter can be used, and the reason if not.
public enum AdapterState: String, Sendable, Hashable {
    /// The daemon has not reported a state.
    case unknown
    /// The adapter is changing from one state to another.
    case resetting
    /// The adapter does not support Bluetooth LE in the requested role.
    case unsupported
    /// A hardware switch or rfkill keeps the adapter off.
    case blocked
    /// The adapter is switched off.
    case off
    /// The adapter is ready.
    case on
}
