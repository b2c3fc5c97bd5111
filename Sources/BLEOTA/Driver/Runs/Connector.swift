package import SystemPackage

/// Establishes links to one peer, and new ones whenever links are lost.
package protocol Connector: Sendable {
    /// Establishes a link.
    ///
    /// - Throws: a ``TransferError``. If its problem is `nobodyThere`, a later attempt may succeed.
    func connect() async throws(TransferError) -> any Transport

    /// Waits until the latest link is down, so that others can connect to the peer.
    func awaitEnd() async
}

extension Connector {
    /// Returns at once: most links are down as soon as they are closed.
    package func awaitEnd() async {}
}

/// Connects to a ``SocketListener`` in another process.
package struct SocketConnector: Connector {
    private let path: FilePath
    private let attMTU: Int
    private let timeout: Duration

    /// A connector to the socket at `path`.
    ///
    /// - Parameters:
    ///   - attMTU: the ATT_MTU to offer, 23 to 517. The link uses the smaller of this value and the
    ///     listener's.
    ///   - timeout: how long to wait for the listener's hello (section 10.2).
    package init(
        path: FilePath,
        attMTU: Int = 517,
        timeout: Duration = SocketTransport.helloTimeout
    ) {
        self.path = path
        self.attMTU = attMTU
        self.timeout = timeout
    }

    /// Connects to the socket.
    package func connect() async throws(TransferError) -> any Transport {
        do throws(SocketError) {
            return try await SocketTransport.connect(
                path: path,
                attMTU: attMTU,
                inboundLimit: Self.inboundLimit,
                helloTimeout: timeout
            )
        } catch {
            throw TransferError(problem(of: error))
        }
    }

    private static let inboundLimit = 4_096

    private func problem(of error: SocketError) -> TransferError.Problem {
        switch error {
        case .cancelled: .cancelled
        case .peerSilent: .silent
        case .peerNotUnderstood(let sentence): .peerNotUnderstood(sentence)
        case .pathTooLong, .notASocket: .wrongAddress(error.description)
        case .nobodyListens, .listenerBusy, .peerLeft: .nobodyThere(error.description)
        case .system(_, let errno):
            .cannotConnect(
                "Can't connect to \(path) (\(errno)); give this user access to the socket, or "
                    + "choose another."
            )
        default: .cannotConnect(error.description)
        }
    }
}
