/// How a characteristic of ours hands values for its subscribers to the daemon.
public enum LocalSending: Sendable {
    /// By signals on the bus, which takes any number of them.
    case signals
    /// Over a socket past the bus, at a fraction of the cost; at least one byte a value. Before
    /// BlueZ 5.80 an indication is never known to be confirmed.
    case socket
}
