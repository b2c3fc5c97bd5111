public import SystemPackage

/// Waits at a path for peers of ``SocketTransport``.
///
/// A listener owns its socket file: it is there while the listener is, and
/// ``close()`` or dropping the listener removes it. A file that a killed process left is replaced.
public final class SocketListener: Sendable {
    /// Where peers connect.
    public let path: FilePath

    private let attMTU: Int
    private let inboundLimit: Int
    private let helloTimeout: Duration
    private let door: SocketDoor

    /// Binds and listens; peers can connect as soon as this returns.
    ///
    /// - Parameters:
    ///   - path: at most 107 bytes, in a directory that exists and can be written and read.
    ///   - attMTU: what this end can carry, 23 to 517; the smaller of both ends' holds.
    ///   - inboundLimit: see ``SocketTransport/connect(path:attMTU:inboundLimit:)``.
    /// - Throws: ``SocketError/pathTooLong(_:byteCount:limit:)``, ``SocketError/pathTaken(_:)``,
    ///   ``SocketError/notASocket(_:)``, or what the system refused.
    public convenience init(
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
        self.attMTU = attMTU
        self.inboundLimit = inboundLimit
        self.helloTimeout = helloTimeout
        door = try SocketDoor.open(SocketAddress(path))
    }

    deinit { door.close() }

    /// Waits for the next peer and agrees with it on the limits.
    ///
    /// A peer that leaves before it has said anything is passed over. One task at a time.
    ///
    /// - Throws: ``SocketError/peerSilent(_:)`` for a peer that says nothing for five seconds and
    ///   ``SocketError/peerNotUnderstood(_:)`` for one that talks differently, after both of which
    ///   the listener goes on and `accept()` can be called again; ``SocketError/closed``;
    ///   ``SocketError/cancelled``.
    public func accept() async throws(SocketError) -> SocketTransport {
        while true {
            let descriptor = try await door.nextPeer()
            do throws(SocketError) {
                return try await SocketTransport.open(
                    descriptor,
                    attMTU: attMTU,
                    inboundLimit: inboundLimit,
                    helloTimeout: helloTimeout
                )
            } catch {
                guard case .peerLeft = error else { throw error }
            }
        }
    }

    /// Stops listening and removes the socket file. A waiting ``accept()`` throws
    /// ``SocketError/closed``; links that are up stay up.
    public func close() {
        door.close()
    }
}
