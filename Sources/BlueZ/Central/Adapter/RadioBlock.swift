/// What keeps an adapter's radio off, against which the daemon can do nothing.
public enum RadioBlock: Sendable, Hashable {
    /// A program has blocked it, as airplane mode does; `rfkill unblock bluetooth` ends that.
    case soft
    /// A switch or a key of the machine; only a hand ends that.
    case hard
}
