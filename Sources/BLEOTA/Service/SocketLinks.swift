package import SystemPackage

/// Links from other processes over a socket.
package struct SocketLinks: LinkSource {
    private let listener: SocketListener
    package let place: String
    package let limits = ServiceLimits()

    package init(_ path: FilePath, attMTU: Int) throws(TransferError) {
        place = path.string
        do throws(SocketError) {
            listener = try SocketListener(path: path, attMTU: attMTU)
        } catch {
            throw TransferError(.cannotListen(path, error))
        }
    }

    package func next() async throws(TransferError) -> Guest {
        do throws(SocketError) {
            return Guest(try await listener.accept())
        } catch {
            if Task.isCancelled { throw TransferError(.cancelled) }
            throw TransferError(.cannotAccept(error))
        }
    }

    package func onShortage(_ body: @escaping @Sendable () -> Void) { listener.onShortage(body) }

    package func end() { listener.close() }
}
