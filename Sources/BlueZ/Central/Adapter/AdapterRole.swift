/// The role in which an adapter is used.
public enum AdapterRole: String, Sendable, Hashable, CaseIterable {
    /// Scans for devices and connects to them.
    case central
    /// Advertises, and accepts connections.
    case peripheral
}
