/// How a value is written.
public enum WriteKind: String, Sendable, Hashable, CaseIterable {
    /// A write request, which the device answers.
    case request
    /// A write command, which it does not.
    case command
}
