public import DBus

/// A change reported by the daemon. Events arrive in the order in which the daemon sent them.
public enum BlueZEvent: Sendable {
    /// The daemon has appeared, and all objects have been loaded anew.
    case daemonAppeared
    /// The daemon or the bus has gone away, so no objects are known.
    case daemonVanished
    /// Interfaces were added at this path, with their properties.
    case added(ObjectPath, [String: [String: BusValue]])
    /// Interfaces were removed.
    case removed(ObjectPath, [String])
    /// Properties of an interface changed to these values, or were invalidated.
    case changed(ObjectPath, interface: String, [String: BusValue], invalidated: [String])
    /// The link to a device is ending for this reason. The change of the property `Connected`
    /// follows. BlueZ before 5.83 does not send this event.
    case disconnecting(ObjectPath, DisconnectionReason)
}
