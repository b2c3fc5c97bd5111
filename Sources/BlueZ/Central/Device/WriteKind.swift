/// The kind of write.
public enum WriteKind: String, Sendable, Hashable, CaseIterable {
    /// A write request, to which the device responds.
    case request
    /// A write command, to which the device does not respond.
    case command
}
