import CNATS
import Synchronization

/// The functions that libnats calls, on a thread of its own.
///
/// libnats may call them after a connection has been destroyed. So it is given a number instead of
/// a pointer, and a number without events means that nobody is interested any more.
enum ConnectionCallbacks {
    private struct Table {
        var events: [UInt: ConnectionEvents] = [:]
        var seedFiles: [UInt: String] = [:]
        var lastID: UInt = 0
    }

    private static let table = Mutex(Table())

    /// Returns a number other than 0 for `events`, which are kept until ``remove(_:)``.
    static func add(_ events: ConnectionEvents) -> UInt {
        table.withLock { table in
            table.lastID += 1
            table.events[table.lastID] = events
            return table.lastID
        }
    }

    static func remove(_ id: UInt) {
        table.withLock { table in
            table.events.removeValue(forKey: id)
            table.seedFiles.removeValue(forKey: id)
        }
    }

    /// Says in which file the seed is with which the connection of a number signs.
    static func setSeedFile(_ path: String, for id: UInt) {
        table.withLock { $0.seedFiles[id] = path }
    }

    static func signer(
        _ id: UnsafeMutableRawPointer?
    ) -> (seedFile: String, events: ConnectionEvents)? {
        table.withLock { table in
            let id = UInt(bitPattern: id)
            guard let file = table.seedFiles[id], let events = table.events[id] else { return nil }
            return (file, events)
        }
    }

    private static func events(_ id: UnsafeMutableRawPointer?) -> ConnectionEvents? {
        table.withLock { $0.events[UInt(bitPattern: id)] }
    }

    static let disconnected: natsConnectionHandler = { connection, id in
        events(id)?.disconnected(lastError(of: connection).text)
    }

    static let reconnected: natsConnectionHandler = { _, id in events(id)?.reconnected() }

    static let closed: natsConnectionHandler = { connection, id in
        guard let events = events(id) else { return }
        let (status, text) = lastError(of: connection)
        if status == NATS_CONNECTION_AUTH_FAILED { events.refused(text) }
        events.gaveUp(text)
    }

    static let failed: natsErrHandler = { connection, _, status, id in
        switch status {
        case NATS_NOT_PERMITTED: events(id)?.violated(lastError(of: connection).text)
        case NATS_CONNECTION_AUTH_FAILED: events(id)?.refused(lastError(of: connection).text)
        default: break
        }
    }

    private static func lastError(
        of connection: OpaquePointer?
    ) -> (status: natsStatus, text: String) {
        var text: UnsafePointer<CChar>?
        let status = natsConnection_GetLastError(connection, &text)
        guard status != NATS_OK, let text else { return (status, "the server went away") }
        return (status, String(cString: text))
    }
}
