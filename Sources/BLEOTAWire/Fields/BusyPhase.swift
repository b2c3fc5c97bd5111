/// What a receiver is at while it can't take data (spec/registry.md).
public enum BusyPhase: UInt8, Hashable, Sendable, BitwiseCopyable {
    /// It looks for what it already has of the transfer.
    case lookingUp = 1
    /// It judges the manifest, makes room, erases.
    case judging = 2
    /// It writes what arrived and can take no more.
    case writing = 3
    /// It hashes the whole image and makes it current.
    case verifying = 4
}
