/// A block that keeps an adapter's radio off, and that the daemon cannot lift.
public enum RadioBlock: Sendable, Hashable {
    /// A software block, such as airplane mode; `rfkill unblock bluetooth` lifts it.
    case soft
    /// A hardware block by a switch or key, which only a person can lift.
    case hard
}
