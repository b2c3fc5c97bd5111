package import SystemPackage

/// Waits at a path for peers of ``SocketTransport``.
///
/// A listener owns its socket file: it is there while the listener is, and
/// ``close()`` or dropping the listener removes it. A file that a killed process left is replaced.
package final class SocketListener: Sendable {
    /// Where peers connect.
    package let path: FilePath

    private let acceptor: SocketAcceptor

    /// Binds and listens; peers can connect as soon as this returns.
    ///
    /// - Parameters:
    ///   - path: at most 107 bytes, in a directory that exists and can be written and read.
    ///   - attMTU: what this end can carry, 23 to 517; the smaller of both ends' holds.
    ///   - inboundLimit: see ``SocketTransport/connect(path:attMTU:inboundLimit:)``.
    /// - Throws: ``SocketError/pathTooLong(_:byteCount:limit:)``, ``SocketError/pathTaken(_:)``,
    ///   ``SocketError/notASocket(_:)``, or what the system refused.
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
        precondition((23...517).contains(attMTU), "ATT_MTU is 23 to 517")
        precondition(inboundLimit > 0, "a link must carry something")
        self.path = path
        acceptor = try SocketAcceptor.open(
            SocketAddress(path),
            attMTU: attMTU,
            inboundLimit: inboundLimit,
            helloTimeout: helloTimeout
        )
    }

    deinit { acceptor.close() }

    /// Waits for the next peer that says hello, and agrees with it on the limits.
    ///
    /// Peers are greeted side by side. One that leaves, says nothing for five seconds or does not
    /// speak this link protocol is dropped, and delays nobody. Where the system has no descriptor
    /// or no memory for another link, `accept()` waits until it has. One task at a time.
    ///
    /// ``serve(listener:into:policy:offering:limits:onEvent:)`` does all that a service needs.
    ///
    /// - Throws: ``SocketError/closed``, ``SocketError/cancelled``, or what the system refused for
    ///   another reason than a shortage.
    package func accept() async throws(SocketError) -> SocketTransport {
        try await acceptor.nextLink()
    }

    /// Sets what is called when the system has no descriptor or no memory for another link.
    package func onShortage(_ body: (@Sendable () -> Void)?) {
        acceptor.onShortage(body)
    }

    /// Stops listening and removes the socket file. A waiting ``accept()`` throws
    /// ``SocketError/closed``; links that are up stay up.
    package func close() {
        acceptor.close()
    }
}
