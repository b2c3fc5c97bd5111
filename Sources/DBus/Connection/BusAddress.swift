import Glibc

/// Where a bus listens.
public enum BusAddress: Sendable, Hashable {
    /// The bus of the machine, or what `DBUS_SYSTEM_BUS_ADDRESS` names.
    case system
    /// An address such as `unix:path=/run/bus`.
    case at(String)

    /// The address as libdbus wants it.
    var text: String {
        switch self {
        case .at(let text): text
        case .system:
            getenv("DBUS_SYSTEM_BUS_ADDRESS").map { String(cString: $0) }
                ?? "unix:path=/run/dbus/system_bus_socket"
        }
    }
}
