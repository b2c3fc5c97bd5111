/// Whether a connection reaches its bus.
public enum BusState: Sendable, Hashable {
    /// It does, under this unique name.
    case connected(uniqueName: String)
    /// It does not, for this reason; it goes on trying.
    case disconnected(String)
}
