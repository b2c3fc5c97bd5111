public import DBus

/// A change of what the daemon tells, in the order in which it told it.
public enum BlueZEvent: Sendable {
    /// The daemon came: everything is known anew.
    case daemonAppeared
    /// The daemon, or the bus, went away: nothing is known.
    case daemonVanished
    /// Objects or interfaces came at this path, with these properties by interface.
    case added(ObjectPath, [String: [String: BusValue]])
    /// Interfaces went.
    case removed(ObjectPath, [String])
    /// Properties of an interface changed to these values.
    case changed(ObjectPath, interface: String, [String: BusValue], invalidated: [String])
    /// The link to a device ends for this reason; that it is not connected any more comes as a
    /// change just after. Releases before 5.83 don't tell.
    case disconnecting(ObjectPath, DisconnectionReason)
}
