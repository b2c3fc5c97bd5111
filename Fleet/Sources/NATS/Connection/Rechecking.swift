import Synchronization

/// Asks a server for its version after each reconnection, and closes the connection to one that is
/// too old.
///
/// libnats calls this while the connection may be released, so that it holds nothing of it.
final class Rechecking: Sendable {
    private struct References {
        weak var handle: ConnectionHandle?
        weak var events: ConnectionEvents?
    }

    private let references = Mutex(References())
    private let pool: BlockingPool
    private let limit: Duration

    init(_ pool: BlockingPool, within limit: Duration) {
        self.pool = pool
        self.limit = limit
    }

    /// Has to be called before libnats connects.
    func report(to events: ConnectionEvents) { references.withLock { $0.events = events } }

    func ask(_ handle: ConnectionHandle) { references.withLock { $0.handle = handle } }

    func begin() {
        // Refused only by a pool that is closed or full; the latter's next operation is told that
        // there is no connection, and a ping finds the server dead or makes libnats reconnect.
        _ = pool.post { [self] in check() }
    }

    /// Closes the connection, on a thread that libnats doesn't need for that.
    func hangUp() {
        // Refused by a pool that is closed, as the connection then is. If the pool is full, the next
        // signature that fails calls this again.
        _ = pool.post { [self] in references.withLock { $0.handle }?.close() }
    }

    private func check() {
        guard let handle = references.withLock({ $0.handle }),
            let events = references.withLock({ $0.events })
        else { return }
        do {
            events.connected(to: try handle.serverVersion(within: limit))
        } catch {
            switch error {
            case .timeout:
                // A server that has just started may be slow to answer. Ask until it does.
                if events.phase == .checking { begin() }
            case .disconnected: break
            default:
                events.closed(error)
                handle.close()
            }
        }
    }
}
