/// A call to a method of an object on another connection.
///
/// ```swift
/// let call = MethodCall("org.bluez", at: path, "org.bluez.Device1", "Connect")
/// ```
public struct MethodCall: Sendable {
    /// The bus name of the called connection.
    public let destination: String
    /// The path of the called object.
    public let path: ObjectPath
    /// The interface of the method.
    public let interface: String
    /// The name of the method.
    public let member: String
    /// The arguments.
    public let body: [BusValue]

    /// Creates a call. The names must have the format that D-Bus requires.
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
    /// Creates a call to the bus itself.
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
