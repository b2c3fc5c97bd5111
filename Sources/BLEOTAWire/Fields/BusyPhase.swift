/// The work that keeps a receiver from accepting data (spec/registry.md).
public enum BusyPhase: UInt8, Hashable, Sendable, BitwiseCopyable {
    /// The receiver is looking up how much of the transfer it already holds.
    case lookingUp = 1
    /// The receiver is judging the manifest, making room or erasing.
    case judging = 2
    /// The receiver is writing received data and can't accept more.
    case writing = 3
    /// The receiver is hashing the whole image and making it current.
    case verifying = 4
}
