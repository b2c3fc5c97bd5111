public import SystemPackage

/// Makes links to one peer, again and again where links are lost.
public protocol Connector: Sendable {
    /// Makes a link.
    ///
    /// - Throws: a ``TransferError`` with code `cannotConnect`, whose sentence says what to do.
    func connect() async throws(TransferError) -> any Transport
}

/// Connects to a ``SocketListener`` of another process.
public struct SocketConnector: Connector {
    private let path: FilePath
    private let attMTU: Int

    /// A connector to the socket at `path`.
    ///
    /// - Parameter attMTU: 23 to 517; what the listener allows is the limit.
    public init(path: FilePath, attMTU: Int = 517) {
        self.path = path
        self.attMTU = attMTU
    }

    /// Connects to the socket.
    public func connect() async throws(TransferError) -> any Transport {
        do throws(SocketError) {
            return try await SocketTransport.connect(path: path, attMTU: attMTU)
        } catch {
            throw TransferError(.cannotConnect(error.description))
        }
    }
}
