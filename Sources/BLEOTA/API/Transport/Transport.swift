/// One link between a sender and a receiver: datagrams on two channels, in both directions.
///
/// A link never looks into a datagram and never splits or joins one. It may lose, repeat or reorder
/// what is sent without response; the protocol repairs that. What it must do is say how much fits
/// (``limits``), hold its sender back (``send(_:on:_:)`` suspends) and end with one reason.
///
/// ## The contract
///
/// - *Tasks.* One task sends and flushes, another receives, at the same time. ``close(_:)`` and
///   ``closeReason`` are called from any task, also while the others wait: both waits end then.
/// - *Cancellation.* A transfer cancels its ``receive()`` when it is over, while the link and the
///   datagrams that arrive go on to the next transfer. So `receive()` has to throw
///   ``TransportError/cancelled`` and lose nothing. The iterator of an `AsyncStream` does not do
///   that, since its stream ends with the task that waits: let a ``DatagramQueue`` hold what has
///   arrived.
/// - *Order.* On each channel datagrams arrive in the order in which they were sent, unless
///   ``TransportLimits/isOrdered`` is false. Nothing is promised from one channel to the other.
/// - *Life.* A transfer over a link that it was given leaves the link open; a ``Target`` closes the
///   links that it made. After `close` nothing more is sent, and what had arrived can still be
///   received.
///
/// The product `BLEOTATransportTesting` holds these rules against a transport of one's own.
///
/// | | BlueZ as central | BlueZ as peripheral | loopback |
/// | --- | --- | --- | --- |
/// | `send(.control, .withResponse)` | write request, Control | notification, Control | queue |
/// | `send(.data, .withoutResponse)` | write command, Data | notification, DataOut | queue |
/// | `send(.data, .withResponse)` | write request | indication, DataOut | queue, until taken |
/// | ``receive()`` | notifications | writes | queue |
/// | ``flush()`` | a read request comes back | nothing to wait for | the peer took all |
public protocol Transport: Sendable {
    /// What this link can carry now. Quirks of the stack below are already subtracted.
    var limits: TransportLimits { get }

    /// Hands one datagram to the link.
    ///
    /// Returns when the datagram is inside the link's transmit window, and suspends while that
    /// window is full: this is the only back-pressure. With ``Datagram/Delivery/withResponse`` it
    /// returns after the peer's stack has answered, one datagram at a time.
    ///
    /// - Parameter datagram: 1 byte to what ``limits`` allows on that channel.
    /// - Throws: ``TransportError/closed(_:)`` when the link has ended, which never tells whether
    ///   an earlier datagram arrived; ``TransportError/datagramTooLarge(byteCount:limit:)`` and
    ///   ``TransportError/emptyDatagram`` for what can't be sent at all. A cancelled task gets
    ///   ``TransportError/cancelled``.
    func send(
        _ datagram: [UInt8],
        on channel: Datagram.Channel,
        _ delivery: Datagram.Delivery
    ) async throws(TransportError)

    /// Waits until the peer's stack has everything that was sent so far.
    func flush() async throws(TransportError)

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

/// A link that has no view of its own of what has left it, such as one over BlueZ: proof that the
/// peer received something opens its transmit window.
package protocol WindowedTransport: Transport {
    /// Notes that the peer has received `byteCount` bytes that were sent without response.
    func acknowledged(byteCount: Int)
}
