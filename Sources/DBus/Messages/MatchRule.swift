/// A rule that selects the signals that the bus sends to a connection. A bus permits 512 rules
/// per connection.
public struct MatchRule: Sendable, Hashable {
    /// The well-known or unique name of the sender.
    public let sender: String
    /// The name of the interface.
    public let interface: String
    /// The name of the signal; `nil` for all signals of the interface.
    public let member: String?
    /// The object whose signals match, together with all objects below it; `nil` for all objects.
    public let namespace: ObjectPath?
    /// The required first argument; `nil` for any.
    public let firstArgument: String?

    /// Creates a rule.
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

    /// The rule in the syntax of the bus.
    var text: String {
        var text = "type='signal',sender='\(sender)',interface='\(interface)'"
        if let member { text += ",member='\(member)'" }
        if let namespace { text += ",path_namespace='\(namespace)'" }
        if let firstArgument {
            // Quoted values have no escape sequences, so apostrophes must be placed outside the
            // quotes.
            let parts = firstArgument.split(separator: "'", omittingEmptySubsequences: false)
            text += ",arg0='\(parts.joined(separator: "'\\''"))'"
        }
        return text
    }
}
