/// One link between a sender and a receiver: datagrams on two channels, in both directions.
///
/// A link never looks into a datagram and never splits or joins one. It may lose, repeat or reorder
/// what is sent without response; the protocol repairs that. What it must do is say how much fits
/// (``limits``), hold its sender back (``send(_:on:_:)`` suspends) and end with one reason.
///
/// | | BlueZ as central | BlueZ as peripheral | loopback |
/// | --- | --- | --- | --- |
/// | `send(.control, .withResponse)` | write request, Control | notification, Control | queue |
/// | `send(.data, .withoutResponse)` | write command, Data | notification, DataOut | queue |
/// | `send(.data, .withResponse)` | write request | indication, DataOut | queue, until taken |
/// | ``receive()`` | notifications | writes | queue |
/// | ``flush()`` | a read request comes back | nothing to wait for | the peer took all |
///
/// Implementations are safe to use from two tasks at once, one that sends and one that receives;
/// two tasks that both send, or both receive, are a mistake of the caller.
public protocol Transport: Sendable {
    /// What this link can carry now. Quirks of the stack below are already subtracted.
    var limits: TransportLimits { get }

    /// Hands one datagram to the link.
    ///
    /// Returns when the datagram is inside the link's transmit window, and suspends while that
    /// window is full: this is the only back-pressure. With ``Delivery/withResponse`` it returns
    /// after the peer's stack has answered, one datagram at a time.
    ///
    /// - Parameter datagram: 1 byte to what ``limits`` allows on that channel.
    /// - Throws: ``TransportError/closed(_:)`` when the link has ended, which never tells whether
    ///   an earlier datagram arrived; ``TransportError/datagramTooLarge(byteCount:limit:)`` and
    ///   ``TransportError/emptyDatagram`` for what can't be sent at all. A cancelled task gets
    ///   ``TransportError/cancelled``.
    func send(
        _ datagram: [UInt8],
        on channel: Channel,
        _ delivery: Delivery
    ) async throws(TransportError)

    /// Waits until the peer's stack has everything that was sent so far.
    func flush() async throws(TransportError)

    /// Tells the link that the protocol has proof that the peer received `byteCount` bytes sent
    /// without response. A link that has no view of its own of what left it (BlueZ) opens its
    /// transmit window by this; others ignore it.
    func acknowledged(byteCount: Int)

    /// Waits for datagrams and returns all that are there, at least one, in arrival order.
    ///
    /// - Throws: ``TransportError/closed(_:)`` once the link has ended and everything that arrived
    ///   before was returned; ``TransportError/inboundOverflow(limit:)`` when the caller was so
    ///   slow that the bounded queue ran over; ``TransportError/cancelled`` in a cancelled task.
    func receive() async throws(TransportError) -> [Datagram]

    /// Ends the link, here and at the peer. The first reason given stays; later calls do nothing.
    func close(_ reason: CloseReason)

    /// Why the link has ended, or `nil` while it is up.
    var closeReason: CloseReason? { get }
}

extension Transport {
    /// Does nothing: most links see for themselves what has left them.
    public func acknowledged(byteCount: Int) {}
}
