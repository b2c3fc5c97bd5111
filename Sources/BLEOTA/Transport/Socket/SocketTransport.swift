import Glibc
package import SystemPackage

/// A link between two processes on one machine, over a Unix socket that preserves datagram
/// boundaries.
///
/// The link behaves like a radio link in the important respects. Both ends agree on an ATT_MTU.
/// ``Datagram/Delivery/withResponse`` and ``flush()`` wait for the peer's *stack* (its inbound
/// queue), not for the code above it. If a peer doesn't take arriving datagrams, the link ends
/// instead of losing data (``CloseReason/overflow``). The transmit window is the socket buffer:
/// several hundred datagrams with the system's defaults.
///
/// Cost: one descriptor for each end, one system call for each datagram sent and approximately one
/// for each datagram received. All ends in a process share one thread and two descriptors.
/// ``close(_:)`` releases the descriptor almost at once. A transport closes itself when it is
/// deinitialized.
///
/// ```swift
/// let listener = try SocketListener(path: "/run/bleota.socket")
/// let link = try await listener.accept()          // one process
/// let link = try await SocketTransport.connect(path: "/run/bleota.socket")   // the other
/// ```
package final class SocketTransport: Transport {
    /// How long a peer may take to announce its ATT_MTU.
    package static let helloTimeout: Duration = .seconds(5)

    /// The limits that result from the smaller ATT_MTU of the two ends.
    package let limits: TransportLimits

    /// The peer's process, as reported by the kernel; `nil` if the kernel does not report one, as
    /// for a process in another namespace.
    package let peerProcess: Int32?

    private let link: SocketLink

    init(limits: TransportLimits, link: SocketLink) {
        self.limits = limits
        self.link = link
        peerProcess = SocketCalls.peerProcess(of: link.descriptor)
    }

    deinit { link.close(.local) }

    /// Connects to a ``SocketListener``.
    ///
    /// - Parameters:
    ///   - path: the path at which the listener listens; at most 107 bytes.
    ///   - attMTU: the ATT_MTU to announce, 23 to 517. The link uses the smaller of the two ends'
    ///     values.
    ///   - inboundLimit: how many datagrams may wait to be received before the link is closed
    ///     with ``CloseReason/overflow``; at least 1. The default limits the memory to 2 MiB.
    package static func connect(
        path: FilePath,
        attMTU: Int = 517,
        inboundLimit: Int = 4096
    ) async throws(SocketError) -> SocketTransport {
        try await connect(
            path: path,
            attMTU: attMTU,
            inboundLimit: inboundLimit,
            helloTimeout: helloTimeout
        )
    }

    static func connect(
        path: FilePath,
        attMTU: Int,
        inboundLimit: Int,
        helloTimeout: Duration
    ) async throws(SocketError) -> SocketTransport {
        let address = try SocketAddress(path)
        let descriptor = try SocketCalls.makeSocket()
        if let errno = await connect(descriptor, to: address, within: helloTimeout) {
            _ = Glibc.close(descriptor)
            switch errno {
            case .connectionRefused where SocketFile.isOtherFile(path): throw .notASocket(path)
            case .noSuchFileOrDirectory, .connectionRefused: throw .nobodyListens(path)
            case .resourceTemporarilyUnavailable: throw .listenerBusy(path)
            default: throw .system(call: "connect", errno)
            }
        }
        return try await open(
            descriptor,
            attMTU: attMTU,
            inboundLimit: inboundLimit,
            helloTimeout: helloTimeout
        )
    }

    /// Connects, and tries again while the listener's queue is full, for example during a flood of
    /// peers. Returns the error if it can't connect.
    private static func connect(
        _ descriptor: Int32,
        to address: SocketAddress,
        within limit: Duration
    ) async -> Errno? {
        let end = ContinuousClock.now + limit
        while true {
            guard let errno = address.connect(descriptor) else { return nil }
            guard errno == .resourceTemporarilyUnavailable, ContinuousClock.now < end,
                (try? await Task.sleep(for: .milliseconds(10))) != nil
            else { return errno }
        }
    }

    /// Creates a transport from a connected socket and takes over the socket, even if it throws.
    static func open(
        _ descriptor: Int32,
        attMTU: Int,
        inboundLimit: Int,
        helloTimeout: Duration
    ) async throws(SocketError) -> SocketTransport {
        precondition((23...517).contains(attMTU), "ATT_MTU must be 23 to 517")
        precondition(inboundLimit > 0, "inboundLimit must be at least 1")
        let link = try SocketLink.start(
            descriptor,
            attMTU: attMTU,
            inboundLimit: inboundLimit,
            helloTimeout: helloTimeout
        )
        return SocketTransport(limits: try await link.awaitHello(), link: link)
    }

    /// Passes one datagram to the kernel, and waits while the socket buffer is full. With
    /// ``Datagram/Delivery/withResponse``, it returns once the datagram is in the peer's inbound
    /// queue.
    package func send(
        _ datagram: [UInt8],
        on channel: Datagram.Channel,
        _ delivery: Datagram.Delivery
    ) async throws(TransportError) {
        try limits.check(datagram, on: channel)
        let ticket = try await link.put(SocketFrame.Kind(channel, delivery), datagram)
        if delivery == .withResponse { try await link.awaitResponse(ticket) }
    }

    /// Waits until everything is in the peer's inbound queue.
    package func flush() async throws(TransportError) {
        try await link.awaitBarrierAnswer(link.put(.barrier, []))
    }

    /// Waits for datagrams and takes all that have arrived.
    package func receive() async throws(TransportError) -> [Datagram] {
        try await link.take()
    }

    /// Ends the link. The peer still receives the datagrams that were sent before the call.
    package func close(_ reason: CloseReason) {
        link.close(reason)
    }

    /// Why the link has ended, or `nil` while it is up. If the peer's process died, the reason is
    /// the same as if the peer had closed the link: ``CloseReason/remote``.
    package var closeReason: CloseReason? { link.closeReason }
}
