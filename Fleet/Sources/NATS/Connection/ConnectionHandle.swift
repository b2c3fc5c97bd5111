import CNATS

/// A connection of libnats with its JetStream context. Every function of it may block, so all are
/// called on the threads of a ``BlockingPool``.
///
/// Both pointers are set once, and libnats locks what is behind them.
final class ConnectionHandle: @unchecked Sendable {
    let connection: OpaquePointer
    let jetStream: OpaquePointer
    let inboxPrefix: String
    let ended = EndedSubscriptions()
    private let eventsID: UInt

    init(_ options: ConnectionOptions, _ events: ConnectionEvents) throws(NATSError) {
        inboxPrefix = options.credentials.inboxPrefix
        let id = ConnectionCallbacks.add(events)
        do {
            let settings = try ConnectionSettings.make(options, eventsAt: id)
            (connection, jetStream) = try Self.open(settings, options, events)
            eventsID = id
        } catch {
            ConnectionCallbacks.remove(id)
            throw error
        }
    }

    private static func open(
        _ settings: borrowing ConnectionSettings,
        _ options: ConnectionOptions,
        _ events: ConnectionEvents
    ) throws(NATSError) -> (connection: OpaquePointer, jetStream: OpaquePointer) {
        let connection = try connect(settings, events)
        var context = jsOptions()
        jsOptions_Init(&context)
        context.Wait = options.requestLimit.limitedMilliseconds
        var jetStream: OpaquePointer?
        let status = natsConnection_JetStream(&jetStream, connection, &context)
        guard status == NATS_OK, let jetStream else {
            natsConnection_Destroy(connection)
            throw .failed("no JetStream context")
        }
        return (connection, jetStream)
    }

    /// Connects, again if libnats can't send a signature (``Signing``). Eight in a row are one case
    /// in 2⁶⁴.
    private static func connect(
        _ settings: borrowing ConnectionSettings,
        _ events: ConnectionEvents
    ) throws(NATSError) -> OpaquePointer {
        var attempt = 0
        while true {
            let count = events.unsendableSignatureCount
            var connection: OpaquePointer?
            let status = natsConnection_Connect(&connection, settings.pointer)
            attempt += 1
            if status != NATS_OK, attempt < 8, events.unsendableSignatureCount != count { continue }
            if status != NATS_OK, let problem = events.seedProblem {
                throw .noSeed(problem, isFinal: true)
            }
            try check(status)
            guard let connection else { throw .failed("no connection") }
            return connection
        }
    }

    /// What libnats does not expect while it connects is no failure of libnats: the server refuses
    /// the connection for a reason that has no status of its own, was halted between its greeting
    /// and its answer, or is no nats-server, or none for clients. A server ends the connection of a
    /// client to its port for servers, and one that speaks HTTP waits for a request.
    private static func check(_ status: natsStatus) throws(NATSError) {
        do { try NATSError.check(status) } catch {
            switch error {
            case .failed(let text) where status == NATS_ERR || status == NATS_PROTOCOL_ERROR:
                throw text.hasSuffix("got ''") ? .hungUp : .disconnected(text)
            case .closed: throw .hungUp
            case .timeout: throw .silent
            default: throw error
            }
        }
    }

    deinit {
        ConnectionCallbacks.remove(eventsID)
        jsCtx_Destroy(jetStream)
        close()
        ended.freeAll()
        natsConnection_Destroy(connection)
    }

    /// Ends what is under way, and the threads of libnats.
    func close() { natsConnection_Close(connection) }

    /// Asks the server for its version, on the connection that is to be used.
    ///
    /// libnats reads the version, but doesn't tell it. Every server from 2.10 on answers this
    /// subject; a user whose subjects are restricted needs the permission to publish to it.
    func serverVersion(within limit: Duration) throws(NATSError) -> ServerVersion {
        let subject = "$SYS.REQ.USER.INFO"
        let answer: [UInt8]
        do {
            answer = try request(subject, [], within: limit)
        } catch .disconnected where natsConnection_Status(connection) == NATS_CONN_STATUS_CONNECTED
        {
            // The server says that nobody answers.
            throw .serverTooOld(nil)
        }
        guard let version = Self.version(in: answer) else { throw .serverTooOld(nil) }
        if version < .oldest { throw .serverTooOld(version) }
        return version
    }

    /// Finds the first field `ver`. Within a text of JSON, a quotation mark comes after a
    /// backslash, so that no name that a user chose is mistaken for the field.
    private static func version(in json: [UInt8]) -> ServerVersion? {
        let mark = Array(#""ver":""#.utf8)
        guard json.count > mark.count else { return nil }
        for start in 0..<(json.count - mark.count) where json[start...].starts(with: mark) {
            let text = json[(start + mark.count)...].prefix { $0 != UInt8(ascii: "\"") }
            return ServerVersion(String(decoding: text, as: UTF8.self))
        }
        return nil
    }
}
