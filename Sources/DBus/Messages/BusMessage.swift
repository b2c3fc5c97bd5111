/// A decoded D-Bus message.
public struct BusMessage: Sendable, Hashable {
    /// The type of a message.
    public enum Kind: Sendable, Hashable {
        /// A method call.
        case methodCall
        /// A reply to a call.
        case methodReturn
        /// An error reply to a call.
        case error
        /// A signal to all subscribers.
        case signal
    }

    /// The type of the message.
    public let kind: Kind
    /// The path of the called object, or of the object that emits the signal.
    public let path: ObjectPath?
    /// The interface of the method or signal.
    public let interface: String?
    /// The name of the method or signal.
    public let member: String?
    /// The name of the error.
    public let errorName: String?
    /// The unique name of the sending connection.
    public let sender: String?
    /// The message's serial number, assigned by the sender.
    public let serial: UInt32
    /// The serial number of the call that this message answers.
    public let replySerial: UInt32
    /// Whether the caller expects a reply.
    public let expectsReply: Bool
    /// The arguments.
    public let body: [BusValue]
}
