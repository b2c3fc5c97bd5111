import Glibc

/// The address of a bus.
public enum BusAddress: Sendable, Hashable {
    /// The system bus, or the bus that `DBUS_SYSTEM_BUS_ADDRESS` names.
    case system
    /// An address such as `unix:path=/run/bus`.
    case at(String)

    /// The address in the format of libdbus.
    var text: String {
        switch self {
        case .at(let text): text
        case .system:
            getenv("DBUS_SYSTEM_BUS_ADDRESS").map { String(cString: $0) }
                ?? "unix:path=/run/dbus/system_bus_socket"
        }
    }
}
