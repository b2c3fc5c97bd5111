/// A link over a serial line: a terminal device, or a Unix stream socket in place of one.
///
/// A line has two ends and no connections (spec/bleota.md, section 10.1). The link is up once this
/// end has opened the line, whether or not anybody is at the other end, and nothing signals that
/// the peer has closed its end. Only unplugging the device, or a hang-up of the socket, ends the
/// link. The peer's stack sends no responses: ``Datagram/Delivery/withResponse`` sends the same
/// bytes, and the kernel's queue (4 KiB for most devices) is the only back-pressure. Frames that
/// are damaged or lost on the line do not arrive, and the protocol recovers from the loss.
///
/// Cost: one thread and three descriptors, one system call for each datagram sent and approximately
/// one for each datagram received. ``close(_:)`` releases the thread and the descriptors once the
/// kernel has sent its queue (see ``awaitEnd()``). A transport closes itself when it is
/// deinitialized.
///
/// ```swift
/// let link = try SerialTransport.open(SerialAddress(path: "/dev/ttyUSB0"))
/// ```
package final class SerialTransport: Transport {
    /// The limits for sending. Frames of up to 512 bytes are received, whatever these limits are.
    package let limits: TransportLimits

    let link: SerialLink

    private init(limits: TransportLimits, link: SerialLink) {
        self.limits = limits
        self.link = link
    }

    deinit { link.close(.local) }

    /// Opens a line, and locks a device against other processes.
    ///
    /// - Parameters:
    ///   - attMTU: 23 to 517. There is no ATT on a line: the value means that sent frames are at
    ///     least three bytes shorter, and never longer than 512 bytes. Most devices have no room
    ///     for more than the default. Frames of up to 512 bytes are received, whatever the value
    ///     is.
    ///   - inboundLimit: how many datagrams may wait to be received before the link is closed
    ///     with ``CloseReason/overflow``; at least 1. The default limits the memory to 2 MiB.
    package static func open(
        _ address: SerialAddress,
        attMTU: Int = 247,
        inboundLimit: Int = 4096
    ) throws(SerialError) -> SerialTransport {
        try start(SerialPort.open(address), attMTU: attMTU, inboundLimit: inboundLimit)
    }

    /// Creates a transport from a port and takes over the port, even if it throws.
    static func start(
        _ port: SerialPort,
        attMTU: Int,
        inboundLimit: Int
    ) throws(SerialError) -> SerialTransport {
        SerialTransport(
            limits: TransportLimits(attMTU: attMTU),
            link: try SerialLink.start(port, inboundLimit: inboundLimit)
        )
    }

    /// Passes one datagram to the kernel, after waiting until the kernel has taken the previous
    /// one. With ``Datagram/Delivery/withResponse``, it returns once the kernel has taken the whole
    /// datagram. On the line, a datagram looks the same with either kind of delivery.
    package func send(
        _ datagram: [UInt8],
        on channel: Datagram.Channel,
        _ delivery: Datagram.Delivery
    ) async throws(TransportError) {
        try limits.check(datagram, on: channel)
        try await link.put(SerialPacket.encoded(datagram, on: channel))
        if delivery == .withResponse { try await link.awaitRoom() }
    }

    /// Waits until the last byte is on the line. If the line is a socket, waits until the peer's
    /// kernel has the last byte.
    package func flush() async throws(TransportError) {
        try await link.flush()
    }

    /// Waits for datagrams and takes all that have arrived.
    package func receive() async throws(TransportError) -> [Datagram] {
        try await link.take()
    }

    /// Ends the link. Datagrams that were sent before the call still go out; the peer is not
    /// notified.
    package func close(_ reason: CloseReason) {
        link.close(reason)
    }

    /// Why the link has ended, or `nil` while it is up.
    package var closeReason: CloseReason? { link.closeReason }

    /// Waits until the link has ended and others can open the line, or the task is cancelled. Only
    /// one task may wait at a time.
    package func awaitEnd() async {
        await link.awaitEnd()
    }
}
