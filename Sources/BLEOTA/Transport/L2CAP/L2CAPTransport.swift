import Glibc

/// A link over a socket that carries SDUs reliably and in order: an LE credit-based channel of
/// L2CAP or, in tests, a Unix socket.
///
/// The kernel's flow control is the back-pressure, so the transmit window is two SDUs and the data
/// that the kernel holds. Nothing is lost on the way. A send of a control datagram therefore does
/// not wait for a response, and a send of data with response waits until the peer has answered a
/// barrier.
///
/// Cost: one descriptor for each end, and one system call for each SDU. A transport closes itself
/// when it is deinitialized.
package final class L2CAPTransport: Transport {
    /// The longest SDU that this end sends or receives, in bytes. With a quarter of this length, a
    /// channel carries a seventh less ("L2CAP channels" in spec/notes.md).
    package static let sduByteCountMax = 8_192
    /// The number of datagrams that the kernel holds for a slow reader. Before Linux 6.10, the
    /// kernel ends a channel whose reader leaves more than 425,984 bytes unread. The kernel counts
    /// 1,280 bytes for each packet of 251 bytes, and so 3,328 bytes for a datagram of 512 bytes in
    /// an SDU of its own.
    private static let unreadCountMax = 120
    private static let inboundLimit = 4_096
    /// The longest frame that fits in two link-layer packets of 251 bytes if it has an SDU to
    /// itself: each packet has the L2CAP header, and the first packet also has the length of the
    /// SDU. A frame of 512 bytes would take a third packet for 23 of its bytes.
    private static let twoPacketsByteCount = 2 * (251 - 4) - 2 - L2CAPPacket.headerByteCount

    package let limits: TransportLimits

    private let link: L2CAPLink

    private init(limits: TransportLimits, link: L2CAPLink) {
        self.limits = limits
        self.link = link
    }

    deinit { link.close(.local) }

    /// Creates a transport from a connected socket, and takes over the socket, even if it throws.
    ///
    /// - Parameters:
    ///   - sending: the longest SDU that the peer takes, at least 23 bytes.
    ///   - receiving: the longest SDU that this end takes, at least 23 bytes.
    ///   - attMTUMax: the largest ATT_MTU that frames are built for, 23 to 517.
    package static func start(
        _ descriptor: Int32,
        sending: Int,
        receiving: Int = sduByteCountMax,
        attMTUMax: Int = 517,
        inboundLimit: Int = inboundLimit
    ) throws(SocketError) -> L2CAPTransport {
        let frameByteCountMax = L2CAPPacket.frameByteCountMax(
            sduByteCountMax: min(sending, receiving)
        )
        let ownByteCountMax = min(frameByteCountMax, twoPacketsByteCount, attMTUMax - 3)
        let limits = TransportLimits(
            attMTU: attMTUMax,
            controlByteCountMax: ownByteCountMax,
            dataByteCountMax: ownByteCountMax,
            unreadCountMax: unreadCountMax
        )
        let link = L2CAPLink(
            descriptor,
            frameByteCountMax: frameByteCountMax,
            sending: min(sending, sduByteCountMax),
            receiving: receiving,
            inboundLimit: inboundLimit
        )
        do throws(SocketError) {
            try SocketLoop.shared.watch(link)
        } catch {
            _ = Glibc.close(descriptor)
            throw error
        }
        return L2CAPTransport(limits: limits, link: link)
    }

    /// Puts one datagram into an SDU, and waits while two SDUs are full. For data with response, it
    /// returns once the datagram is in the peer's inbound queue.
    package func send(
        _ datagram: [UInt8],
        on channel: Datagram.Channel,
        _ delivery: Datagram.Delivery
    ) async throws(TransportError) {
        try limits.check(datagram, on: channel)
        try await link.put(channel == .control ? .control : .data, datagram)
        if channel == .data, delivery == .withResponse { try await flush() }
    }

    /// Waits until everything is in the peer's inbound queue.
    package func flush() async throws(TransportError) {
        try await link.awaitBarrierAnswer(link.put(.barrier, []))
    }

    /// Waits for datagrams and takes all that have arrived.
    package func receive() async throws(TransportError) -> [Datagram] { try await link.take() }

    /// Ends the link. The peer still receives the datagrams that were sent before the call, if it
    /// takes them within a second.
    package func close(_ reason: CloseReason) { link.close(reason) }

    /// Waits until the socket is closed after ``close(_:)``.
    package func awaitEnd() async { await link.awaitEnd() }

    /// Why the link has ended, or `nil` while it is up.
    package var closeReason: CloseReason? { link.closeReason }
}
