/// An object that this connection offers to others.
public protocol BusObject: AnyObject, Sendable {
    /// Takes a call. It runs on the connection's thread and must not wait; whoever needs longer
    /// answers later.
    func take(_ call: IncomingCall)
}
