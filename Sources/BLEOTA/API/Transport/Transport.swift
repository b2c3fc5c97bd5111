/// A link between a sender and a receiver, which carries datagrams on two channels in both
/// directions.
///
/// A transport never inspects, splits or merges datagrams. It may lose, duplicate or reorder
/// datagrams that are sent without response; the protocol recovers from all three. A transport must
/// state how much a datagram can hold (``limits``), apply back-pressure (``send(_:on:_:)``
/// suspends), and end with exactly one reason.
///
/// ## The contract
///
/// - *Tasks.* One task sends and flushes while another receives. Any task may call
///   ``close(_:)`` or read ``closeReason``, even while the sending and the receiving task are
///   suspended; `close` resumes both.
/// - *Cancellation.* A transfer cancels its ``receive()`` when it ends, but the link and its
///   incoming datagrams are passed on to the next transfer. A cancelled `receive()` must
///   therefore throw ``TransportError/cancelled`` without losing a datagram. An `AsyncStream`
///   does not meet this rule, because it finishes when a waiting task is cancelled. Use a
///   ``DatagramQueue`` for incoming datagrams instead.
/// - *Order.* On each channel, datagrams arrive in the order in which they were sent, unless
///   ``TransportLimits/isOrdered`` is false. No order is guaranteed between the channels.
/// - *Lifetime.* One link can carry several transfers in sequence, so a transfer that ends does
///   not close its link. ``Target`` and ``FirmwareReceiver`` close a link when they no longer
///   need it. After `close`, nothing more is sent, but datagrams that had arrived can still be
///   received.
///
/// The product `BLEOTATransportTesting` checks a custom transport against these rules.
///
/// | | BlueZ as central | BlueZ as peripheral | loopback |
/// | --- | --- | --- | --- |
/// | `send(.control, .withResponse)` | write request, Control | notification, Control | queue |
/// | `send(.data, .withoutResponse)` | write command, Data | notification, DataOut | queue |
/// | `send(.data, .withResponse)` | write request | indication, DataOut | queue, until taken |
/// | ``receive()`` | notifications | writes | queue |
/// | ``flush()`` | the read response | nothing to wait for | the peer took all |
public protocol Transport: Sendable {
    /// The current limits of this link. Quirks of the underlying stack are already accounted
    /// for.
    var limits: TransportLimits { get }

    /// Sends one datagram over the link.
    ///
    /// Returns when the datagram is in the link's transmit window and suspends while that window is
    /// full; this suspension is the only back-pressure. With ``Datagram/Delivery/withResponse`` it
    /// returns after the peer's stack has responded, so only one such datagram is in flight.
    ///
    /// - Parameters:
    ///   - datagram: the content, from 1 byte to the limit that ``limits`` states for the
    ///     channel.
    ///   - channel: the channel to send on.
    ///   - delivery: whether to wait for a response from the peer's stack.
    /// - Throws: ``TransportError/closed(_:)`` if the link has ended; an earlier datagram may
    ///   or may not have arrived. ``TransportError/datagramTooLarge(byteCount:limit:)`` or
    ///   ``TransportError/emptyDatagram`` for a datagram that can't be sent at all.
    ///   ``TransportError/cancelled`` if the task is cancelled.
    func send(
        _ datagram: [UInt8],
        on channel: Datagram.Channel,
        _ delivery: Datagram.Delivery
    ) async throws(TransportError)

    /// Waits until the peer's stack has received every datagram sent before the call.
    ///
    /// - Throws: ``TransportError/closed(_:)`` if the link has ended;
    ///   ``TransportError/cancelled`` if the task is cancelled.
    func flush() async throws(TransportError)

    /// Waits until at least one datagram has arrived, then returns all queued datagrams in
    /// order of arrival.
    ///
    /// - Throws: ``TransportError/closed(_:)`` once the link has ended and every datagram that
    ///   arrived before the end has been returned. ``TransportError/inboundOverflow(limit:)``
    ///   if the caller received so slowly that the bounded queue overflowed.
    ///   ``TransportError/cancelled`` if the task is cancelled.
    func receive() async throws(TransportError) -> [Datagram]

    /// Ends the link on this side and at the peer. The first reason is kept; later calls have
    /// no effect.
    func close(_ reason: CloseReason)

    /// The reason the link has ended; `nil` while it is up.
    var closeReason: CloseReason? { get }
}

/// A link that can't observe how much of its queued data has been sent, such as a link over
/// BlueZ. It opens its transmit window as the peer's acknowledgements arrive.
package protocol WindowedTransport: Transport {
    /// Records that the peer has received `byteCount` bytes that were sent without response.
    func acknowledged(byteCount: Int)
}
