/// An object that a connection exports to other programs.
public protocol BusObject: AnyObject, Sendable {
    /// Handles a method call on the connection's thread. This method must not block; the reply
    /// can be sent later.
    func take(_ call: IncomingCall)
}
