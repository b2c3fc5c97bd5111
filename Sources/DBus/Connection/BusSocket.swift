import CDBus

/// A libdbus connection: a socket and its queues of outgoing and incoming messages.
///
/// The connection may be opened on any thread, but is then used only on its loop's thread.
final class BusSocket: @unchecked Sendable {
    typealias Taker = (OpaquePointer) -> Void

    private let connection: OpaquePointer
    private unowned let loop: BusLoop
    private var take: Taker?
    private var isClosed = false

    /// Connects, which may block until the bus accepts the connection.
    init(_ address: BusAddress, on loop: BusLoop) throws(BusError) {
        var error = CDBus.DBusError()
        dbus_error_init(&error)
        guard let connection = dbus_connection_open_private(address.text, &error) else {
            defer { dbus_error_free(&error) }
            throw .disconnected(error.message.map { String(cString: $0) } ?? "no reason given")
        }
        self.connection = connection
        self.loop = loop
        // Without this call, libdbus would exit the whole process when the bus goes away.
        dbus_connection_set_exit_on_disconnect(connection, 0)
    }

    deinit {
        close()
        dbus_connection_unref(connection)
    }

    // MARK: - On the loop's thread

    /// Makes the loop poll the connection, and passes each message to `take`.
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
            // The loop checks before each wait whether a watch is enabled, so toggling needs no
            // action.
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

    /// Sends a message and releases it.
    ///
    /// - Returns: the message's serial number; `nil` if the message contains descriptors and the
    ///   bus does not support them.
    func send(_ message: OpaquePointer) -> UInt32? {
        defer { dbus_message_unref(message) }
        var serial: UInt32 = 0
        return dbus_connection_send(connection, message, &serial) == 0 ? nil : serial
    }

    /// The number of bytes that the bus has not yet accepted.
    var outgoingByteCount: Int { dbus_connection_get_outgoing_size(connection) }

    var hasMessagesToSend: Bool { dbus_connection_has_messages_to_send(connection) != 0 }

    func setUniqueName(_ name: String) {
        precondition(dbus_bus_set_unique_name(connection, name) != 0, "no memory for a name")
    }

    /// Dispatches one received message; returns `false` if there is none, or if the connection is
    /// closed.
    func dispatchOne() -> Bool {
        let status = dbus_connection_get_dispatch_status(connection)
        guard !isClosed, status == DBUS_DISPATCH_DATA_REMAINS else { return false }
        dbus_connection_dispatch(connection)
        return true
    }

    /// Closes the connection; unsent messages are lost. Later calls do nothing.
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

/// A message filter, called on the loop's thread. It is a free function because libdbus requires
/// a C function.
private func takeMessage(
    _ connection: OpaquePointer?,
    _ message: OpaquePointer?,
    _ context: UnsafeMutableRawPointer?
) -> DBusHandlerResult {
    BusSocket.from(context).filter(message!)
    return DBUS_HANDLER_RESULT_HANDLED
}
