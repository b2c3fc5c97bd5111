import CDBus

/// A connection of libdbus: a socket, what waits to be sent on it, and what has arrived.
///
/// It is opened on any thread, and used on that of its loop only.
final class BusSocket: @unchecked Sendable {
    typealias Taker = (OpaquePointer) -> Void

    private let connection: OpaquePointer
    private unowned let loop: BusLoop
    private var take: Taker?
    private var isClosed = false

    /// Connects, which may take as long as the other side likes.
    init(_ address: BusAddress, on loop: BusLoop) throws(BusError) {
        var error = CDBus.DBusError()
        dbus_error_init(&error)
        guard let connection = dbus_connection_open_private(address.text, &error) else {
            defer { dbus_error_free(&error) }
            throw .disconnected(error.message.map { String(cString: $0) } ?? "no reason given")
        }
        self.connection = connection
        self.loop = loop
        // Otherwise libdbus ends the whole process when the bus goes away.
        dbus_connection_set_exit_on_disconnect(connection, 0)
    }

    deinit {
        close()
        dbus_connection_unref(connection)
    }

    // MARK: - On the loop's thread

    /// Lets the loop poll it; each message goes to `take`.
    func start(_ take: @escaping Taker) {
        self.take = take
        let context = Unmanaged.passUnretained(self).toOpaque()
        let isWatched = dbus_connection_set_watch_functions(
            connection,
            { watch, context in
                BusSocket.from(context).loop.add(watch!)
                return 1
            },
            { watch, context in BusSocket.from(context).loop.remove(watch!) },
            // Whether a watch is on is asked before each wait.
            { _, _ in },
            context,
            nil
        )
        let isFiltered = dbus_connection_add_filter(connection, takeMessage, context, nil)
        precondition(isWatched != 0 && isFiltered != 0, "no memory for a connection")
    }

    fileprivate static func from(_ context: UnsafeMutableRawPointer?) -> BusSocket {
        Unmanaged<BusSocket>.fromOpaque(context!).takeUnretainedValue()
    }

    /// Sends a message and unreferences it.
    ///
    /// - Returns: its number; `nil` if it has descriptors and the bus takes none.
    func send(_ message: OpaquePointer) -> UInt32? {
        defer { dbus_message_unref(message) }
        var serial: UInt32 = 0
        return dbus_connection_send(connection, message, &serial) == 0 ? nil : serial
    }

    /// How much the bus has not taken yet.
    var outgoingByteCount: Int { dbus_connection_get_outgoing_size(connection) }

    var hasMessagesToSend: Bool { dbus_connection_has_messages_to_send(connection) != 0 }

    func setUniqueName(_ name: String) {
        precondition(dbus_bus_set_unique_name(connection, name) != 0, "no memory for a name")
    }

    /// Hands over a message that has arrived; false if there is none, or it is closed.
    func dispatchOne() -> Bool {
        let status = dbus_connection_get_dispatch_status(connection)
        guard !isClosed, status == DBUS_DISPATCH_DATA_REMAINS else { return false }
        dbus_connection_dispatch(connection)
        return true
    }

    /// Ends it; what has not been sent is lost. Later calls do nothing.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        if take != nil {
            let context = Unmanaged.passUnretained(self).toOpaque()
            dbus_connection_remove_filter(connection, takeMessage, context)
        }
        take = nil
        dbus_connection_close(connection)
    }

    fileprivate func filter(_ message: OpaquePointer) { take?(message) }
}

/// A free function, because libdbus wants one; on the loop's thread.
private func takeMessage(
    _ connection: OpaquePointer?,
    _ message: OpaquePointer?,
    _ context: UnsafeMutableRawPointer?
) -> DBusHandlerResult {
    BusSocket.from(context).filter(message!)
    return DBUS_HANDLER_RESULT_HANDLED
}
