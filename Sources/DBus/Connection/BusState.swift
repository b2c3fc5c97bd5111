/// Whether a connection has reached its bus.
public enum BusState: Sendable, Hashable {
    /// The connection is established, with this unique name.
    case connected(uniqueName: String)
    /// There is no connection, for this reason; attempts to connect continue.
    case disconnected(String)
}
