/// A connection to one of several NATS servers.
///
/// If the server goes away, every operation fails at once with ``NATSError/disconnected(_:)``, and
/// libnats connects again, for ever, until the connection is closed, the server refuses it, or the
/// file with its seed was gone for ``ConnectionOptions/seedLimit``.
/// Watches and consumers go on by themselves. Every server is asked for its version before it is
/// used, also after a reconnection.
///
/// ```swift
/// let connection = try await NATSConnection.open(ConnectionOptions(servers: [address]))
/// let bucket = try await connection.createBucket(BucketConfiguration(name))
/// let revision = try await bucket.create(key, value)
/// ```
///
/// Operations run on ``Limits/threadCount`` threads, because libnats blocks; no operation blocks
/// its caller's thread. A task that is cancelled waits for an operation that has begun, for at most
/// its time limit.
package final class NATSConnection: Sendable {
    let handle: ConnectionHandle
    let events: ConnectionEvents
    let pool: BlockingPool
    let ownThreads = ThreadAllowance(max: Limits.ownThreadsMax)
    let requestLimit: Duration
    /// Who this client is to the server; `nil` for nobody in particular.
    package let user: NKey?

    private init(
        _ handle: ConnectionHandle,
        _ events: ConnectionEvents,
        _ pool: BlockingPool,
        _ options: ConnectionOptions
    ) {
        self.handle = handle
        self.events = events
        self.pool = pool
        requestLimit = options.requestLimit
        user = options.credentials.user
    }

    deinit { close() }

    /// Connects, and returns once the server has accepted the credentials and said its version.
    ///
    /// - Throws: ``NATSError/noSeed(_:isFinal:)``; ``NATSError/unreadableFile(_:_:)`` for other
    ///   files that can't be read; ``NATSError/wrongArgument(_:)`` for those without PEM;
    ///   ``NATSError/disconnected(_:)`` if no server can be reached;
    ///   ``NATSError/refusedCredentials(_:)``; ``NATSError/refusedCertificate(_:)``;
    ///   ``NATSError/serverTooOld(_:)``; ``NATSError/notPermitted(_:)`` if the user may not ask for
    ///   the version.
    package static func open(
        _ options: ConnectionOptions
    ) async throws(NATSError) -> NATSConnection {
        let pool = BlockingPool(threadCountMax: Limits.threadCount)
        let rechecking = Rechecking(pool, within: options.requestLimit)
        let events = ConnectionEvents(
            seedLimit: options.seedLimit,
            recheck: { rechecking.begin() },
            hangUp: { rechecking.hangUp() }
        )
        rechecking.report(to: events)
        do {
            let handle = try await pool.run { () throws(NATSError) -> ConnectionHandle in
                try ConnectionHandle(options, events)
            }
            rechecking.ask(handle)
            let connection = NATSConnection(handle, events, pool, options)
            try await connection.check()
            return connection
        } catch {
            pool.close()
            throw error
        }
    }

    private func check() async throws(NATSError) {
        let mark = events.violationCount
        let limit = requestLimit
        do {
            let version = try await pool.run { [handle] () throws(NATSError) -> ServerVersion in
                try handle.serverVersion(within: limit)
            }
            events.connected(to: version)
        } catch {
            close()
            let refusal = events.violation(since: mark, naming: "$SYS.REQ.USER.INFO")
            throw error == .timeout ? refusal ?? error : error
        }
    }

    /// The version of the connected server; `nil` while there is no connection.
    package var serverVersion: ServerVersion? {
        if case .connected(let version) = events.phase { version } else { nil }
    }

    /// Waits until there is a connection; returns at once if there is.
    ///
    /// - Throws: ``NATSError/timeout``; ``NATSError/cancelled``; why the connection is closed.
    package func awaitConnected(within limit: Duration) async throws(NATSError) {
        try await events.awaitConnected(within: limit)
    }

    /// Ends the connection and its threads. Operations under way, and later ones, fail with
    /// ``NATSError/closed(_:)``.
    package func close() {
        events.closed(.closed("closed by this side"))
        pool.close { [handle] in handle.close() }
    }

    /// Runs an operation on a thread that may block.
    ///
    /// - Parameter subject: what the operation publishes to. If the server refuses that, the
    ///   operation fails at once, while its thread waits for an answer that does not come. `nil` if
    ///   libnats chooses it: any refusal meanwhile is then the likely reason for silence.
    func perform<Value: Sendable>(
        on subject: String? = nil,
        _ body: @escaping @Sendable (ConnectionHandle) throws(NATSError) -> Value
    ) async throws(NATSError) -> Value {
        try events.requireConnected()
        let mark = events.violationCount
        do {
            guard let subject else {
                return try await pool.run { [handle] () throws(NATSError) -> Value in
                    try body(handle)
                }
            }
            return try await run(on: subject, body)
        } catch {
            guard error == .timeout else { throw events.cause(of: error) }
            throw events.violation(since: mark, naming: subject) ?? error
        }
    }

    private func run<Value: Sendable>(
        on subject: String,
        _ body: @escaping @Sendable (ConnectionHandle) throws(NATSError) -> Value
    ) async throws(NATSError) -> Value {
        if Task.isCancelled { throw .cancelled }
        let result: Result<Value, NATSError> = await withCheckedContinuation { continuation in
            let answer = FirstAnswer(continuation)
            let listener = events.listen(for: subject) { answer.give(.failure($0)) }
            let refusal = pool.post { [handle, events] in
                answer.give(Result { () throws(NATSError) -> Value in try body(handle) })
                events.ignore(listener)
            }
            if let refusal {
                events.ignore(listener)
                answer.give(.failure(refusal))
            }
        }
        return try result.get()
    }

    /// Throws for a payload that is too large for a server.
    static func checkPayload(_ payload: [UInt8]) throws(NATSError) {
        guard payload.count <= Limits.payloadByteCountMax else {
            throw .wrongArgument(
                "\(payload.count) bytes are more than \(Limits.payloadByteCountMax)"
            )
        }
    }
}
