/// A link over a serial line: a terminal device, or a Unix stream socket that stands for one.
///
/// A line has two ends and no connections (spec/bleota.md, section 10.1). It is up when this end
/// has opened it, whether anybody is at the other or not, and nothing tells that the peer has
/// closed its own; only a device that is unplugged, or a socket, ends it. The peer's stack answers
/// nothing: ``Datagram/Delivery/withResponse`` sends the same bytes, and the kernel's queue (4 KiB
/// for most devices) is the only back-pressure. What is damaged or lost on the line is missing
/// here, and the protocol repairs that.
///
/// Cost: one thread and three descriptors, one system call for each datagram sent and about one
/// for each received. ``close(_:)`` gives them back once the kernel has sent what it has, see
/// ``awaitEnd()``; an end that is dropped closes by itself.
///
/// ```swift
/// let link = try SerialTransport.open(SerialAddress(path: "/dev/ttyUSB0"))
/// ```
package final class SerialTransport: Transport {
    /// What this end sends at most; it takes frames of up to 512 bytes, whatever these are.
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
    ///   - attMTU: 23 to 517. There is no ATT here: it says that frames are sent of up to three
    ///     bytes less, and 512 at most. Most devices have no room for more than the default.
    ///     Frames of up to 512 bytes are received, whatever it is.
    ///   - inboundLimit: datagrams that wait to be received before the link is closed for
    ///     ``CloseReason/overflow``; at least 1. The default bounds the memory at 2 MiB.
    package static func open(
        _ address: SerialAddress,
        attMTU: Int = 247,
        inboundLimit: Int = 4096
    ) throws(SerialError) -> SerialTransport {
        try start(SerialPort.open(address), attMTU: attMTU, inboundLimit: inboundLimit)
    }

    /// Makes a transport of a port, which it owns from here on, also when it throws.
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

    /// Hands one datagram to the kernel, and waits while there is still a part of another that it
    /// had no room for. With ``Datagram/Delivery/withResponse`` it returns when the kernel has all
    /// of it; on the line both are the same.
    package func send(
        _ datagram: [UInt8],
        on channel: Datagram.Channel,
        _ delivery: Datagram.Delivery
    ) async throws(TransportError) {
        try limits.check(datagram, on: channel)
        try await link.put(SerialPacket.encoded(datagram, on: channel))
        if delivery == .withResponse { try await link.awaitRoom() }
    }

    /// Waits until the last byte is on the line, or with the peer's kernel where the line is a
    /// socket.
    package func flush() async throws(TransportError) {
        try await link.flush()
    }

    /// Waits for datagrams and takes all that are there.
    package func receive() async throws(TransportError) -> [Datagram] {
        try await link.take()
    }

    /// Ends the link. What was sent before still goes out; the peer is not told.
    package func close(_ reason: CloseReason) {
        link.close(reason)
    }

    /// Why the link has ended, or `nil` while it is up.
    package var closeReason: CloseReason? { link.closeReason }

    /// Waits until the link has ended and others can open the line, or the task is cancelled. One
    /// task at a time.
    package func awaitEnd() async {
        await link.awaitEnd()
    }
}
