package import SystemPackage

/// Listens on a path for peers that connect with ``SocketTransport``.
///
/// A listener owns its socket file. The file exists for as long as the listener does: ``close()``
/// or deinitialization removes it. A file that a killed process left behind is replaced.
package final class SocketListener: Sendable {
    /// The path at which peers connect.
    package let path: FilePath

    private let acceptor: SocketAcceptor

    /// Binds and listens; peers can connect as soon as this returns.
    ///
    /// - Parameters:
    ///   - path: at most 107 bytes. The directory must exist, and be readable and writable.
    ///   - attMTU: the ATT_MTU to announce, 23 to 517. A link uses the smaller of the two ends'
    ///     values.
    ///   - inboundLimit: see ``SocketTransport/connect(path:attMTU:inboundLimit:)``.
    /// - Throws: ``SocketError/pathTooLong(_:byteCount:limit:)``, ``SocketError/pathTaken(_:)``,
    ///   ``SocketError/notASocket(_:)``, or ``SocketError/system(call:_:)``.
    package convenience init(
        path: FilePath,
        attMTU: Int = 517,
        inboundLimit: Int = 4096
    ) throws(SocketError) {
        try self.init(
            path: path,
            attMTU: attMTU,
            inboundLimit: inboundLimit,
            helloTimeout: SocketTransport.helloTimeout
        )
    }

    init(
        path: FilePath,
        attMTU: Int,
        inboundLimit: Int,
        helloTimeout: Duration
    ) throws(SocketError) {
        precondition((23...517).contains(attMTU), "ATT_MTU must be 23 to 517")
        precondition(inboundLimit > 0, "inboundLimit must be at least 1")
        self.path = path
        acceptor = try SocketAcceptor.open(
            SocketAddress(path),
            attMTU: attMTU,
            inboundLimit: inboundLimit,
            helloTimeout: helloTimeout
        )
    }

    deinit { acceptor.close() }

    /// Waits for the next peer that sends a hello, and agrees with it on the limits.
    ///
    /// Peers are greeted concurrently. A peer that leaves, that is silent for five seconds, or that
    /// does not speak this link protocol is dropped, and delays nobody. If the system has no
    /// descriptor or memory for another link, `accept()` waits until both are available. Only one
    /// task may wait at a time.
    ///
    /// ``serve(listener:into:policy:offering:limits:onEvent:)`` does everything that a service
    /// needs.
    ///
    /// - Throws: ``SocketError/closed``, ``SocketError/cancelled``, or
    ///   ``SocketError/system(call:_:)`` if the system refused a call for a reason other than a
    ///   shortage.
    package func accept() async throws(SocketError) -> SocketTransport {
        try await acceptor.nextLink()
    }

    /// Sets a closure that is called when the system has no descriptor or memory for another link.
    package func onShortage(_ body: (@Sendable () -> Void)?) {
        acceptor.onShortage(body)
    }

    /// Stops listening and removes the socket file. A waiting ``accept()`` throws
    /// ``SocketError/closed``. Links that are up stay up.
    package func close() {
        acceptor.close()
    }
}
