/// Which signals the bus sends to this connection. A bus allows 512 of them to a connection.
public struct MatchRule: Sendable, Hashable {
    /// The well-known or unique name that they come from.
    public let sender: String
    /// The interface.
    public let interface: String
    /// The signal; `nil` for all of the interface.
    public let member: String?
    /// The object and all below it; `nil` for all objects.
    public let namespace: ObjectPath?
    /// The first argument, if it has to be this text.
    public let firstArgument: String?

    /// Makes a rule.
    public init(
        sender: String,
        interface: String,
        member: String? = nil,
        namespace: ObjectPath? = nil,
        firstArgument: String? = nil
    ) {
        self.sender = sender
        self.interface = interface
        self.member = member
        self.namespace = namespace
        self.firstArgument = firstArgument
    }

    /// The rule as the bus wants it.
    var text: String {
        var text = "type='signal',sender='\(sender)',interface='\(interface)'"
        if let member { text += ",member='\(member)'" }
        if let namespace { text += ",path_namespace='\(namespace)'" }
        if let firstArgument {
            // Nothing is escaped between quotes, so a quote ends them for a moment.
            let parts = firstArgument.split(separator: "'", omittingEmptySubsequences: false)
            text += ",arg0='\(parts.joined(separator: "'\\''"))'"
        }
        return text
    }
}
