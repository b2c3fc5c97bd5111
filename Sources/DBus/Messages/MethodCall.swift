/// A call of a method of an object at another connection.
///
/// ```swift
/// let call = MethodCall("org.bluez", at: path, "org.bluez.Device1", "Connect")
/// ```
public struct MethodCall: Sendable {
    /// The name of the connection.
    public let destination: String
    /// The object.
    public let path: ObjectPath
    /// The interface.
    public let interface: String
    /// The method.
    public let member: String
    /// The arguments.
    public let body: [BusValue]

    /// Makes a call. The names have the form that D-Bus demands.
    public init(
        _ destination: String,
        at path: ObjectPath,
        _ interface: String,
        _ member: String,
        _ body: [BusValue] = []
    ) {
        self.destination = destination
        self.path = path
        self.interface = interface
        self.member = member
        self.body = body
    }
}

extension MethodCall {
    /// A call to the bus itself.
    static func toBus(_ member: String, _ body: [BusValue] = []) -> MethodCall {
        let name = "org.freedesktop.DBus"
        return MethodCall(
            name,
            at: ObjectPath(unchecked: "/org/freedesktop/DBus"),
            name,
            member,
            body
        )
    }
}
