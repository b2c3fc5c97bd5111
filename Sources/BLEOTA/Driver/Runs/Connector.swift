package import SystemPackage

/// Makes links to one peer, again and again where links are lost.
package protocol Connector: Sendable {
    /// Makes a link.
    ///
    /// - Throws: a ``TransferError`` whose problem is `cannotConnect`, `nobodyThere` or `serial`,
    ///   whose sentence says what to do.
    func connect() async throws(TransferError) -> any Transport

    /// Waits until the last link is down, so that the peer is free for others.
    func awaitEnd() async
}

extension Connector {
    /// There is nothing to wait for where a link is down as soon as it is closed.
    package func awaitEnd() async {}
}

/// Connects to a ``SocketListener`` of another process.
package struct SocketConnector: Connector {
    private let path: FilePath
    private let attMTU: Int
    private let timeout: Duration

    /// A connector to the socket at `path`.
    ///
    /// - Parameters:
    ///   - attMTU: 23 to 517; what the listener allows is the limit.
    ///   - timeout: how long the other end may take to say what it can carry.
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
        case .nobodyListens, .listenerBusy, .peerLeft: .nobodyThere(error.description)
        case .system(_, let errno):
            .cannotConnect(
                "Can't connect to \(path) (\(errno)); let this user use the socket, or name "
                    + "another."
            )
        default: .cannotConnect(error.description)
        }
    }
}
