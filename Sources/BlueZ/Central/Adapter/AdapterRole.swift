/// What an adapter is used for.
public enum AdapterRole: String, Sendable, Hashable, CaseIterable {
    /// It scans, and connects to devices.
    case central
    /// It advertises, and is a device for others.
    case peripheral
}
