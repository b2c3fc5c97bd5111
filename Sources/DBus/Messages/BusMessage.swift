/// A message of a bus, taken apart.
public struct BusMessage: Sendable, Hashable {
    /// What a message is.
    public enum Kind: Sendable, Hashable {
        /// Asks an object to do something.
        case methodCall
        /// Answers a call.
        case methodReturn
        /// Answers a call that failed.
        case error
        /// Tells whoever listens.
        case signal
    }

    /// What it is.
    public let kind: Kind
    /// The object that is called, or that the signal is from.
    public let path: ObjectPath?
    /// The interface of the method or signal.
    public let interface: String?
    /// The method or signal.
    public let member: String?
    /// The name of an error.
    public let errorName: String?
    /// The unique name of the connection it comes from.
    public let sender: String?
    /// Its number at the sender.
    public let serial: UInt32
    /// The number of the call that it answers.
    public let replySerial: UInt32
    /// Whether a call wants an answer.
    public let expectsReply: Bool
    /// Its arguments.
    public let body: [BusValue]
}
