/// The kind of write.
public enum WriteKind: String, Sendable, Hashable, CaseIterable {
    /// A write request, which the device answers.
    case request
    /// A write command, which the device does not answer.
    case command
}
