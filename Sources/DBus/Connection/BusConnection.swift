import Glibc

/// A connection to a bus, with a dedicated thread.
///
/// If the bus goes away, all pending operations fail with ``BusError/disconnected(_:)``. The
/// connection is re-established as soon as the bus is back, with the same match rules and
/// objects.
///
/// ```swift
/// let bus = try await BusConnection.open(.system)
/// let root = MethodCall("org.bluez", at: .root, "org.freedesktop.DBus.ObjectManager",
///     "GetManagedObjects")
/// let objects = try await bus.call(root, within: .seconds(5))
/// ```
///
/// Handlers of signals and state changes run on the connection's thread, in the order in which the
/// bus sent the messages. A signal's handlers run before a later reply is returned. Handlers must
/// not block.
public final class BusConnection: Sendable {
    let loop: BusLoop
    private let worker: BusWorker

    private init(_ address: BusAddress) throws(BusError) {
        loop = try BusLoop()
        worker = BusWorker(address, on: loop)
        loop.start()
    }

    deinit { close() }

    /// Connects, and returns once the bus has assigned a unique name.
    ///
    /// - Throws: ``BusError/disconnected(_:)`` if there is no bus or it denies access;
    ///   ``BusError/deadline``; ``BusError/cancelled``.
    public static func open(
        _ address: BusAddress,
        within limit: Duration = .seconds(5)
    ) async throws(BusError) -> BusConnection {
        let connection = try BusConnection(address)
        do {
            _ = try await connection.finish { [loop = connection.loop] worker, greeting in
                loop.after(limit) { greeting.end(.failure(.deadline)) }
                worker.greet(greeting)
            }
        } catch {
            connection.close()
            throw error
        }
        return connection
    }

    /// Calls a method and waits for the reply.
    ///
    /// - Parameters:
    ///   - call: the method and its arguments.
    ///   - limit: how long to wait; unlimited by default, because some methods take minutes.
    /// - Returns: the arguments of the reply.
    public func call(
        _ call: MethodCall,
        within limit: Duration? = nil
    ) async throws(BusError) -> [BusValue] {
        try await finish { worker, pending in worker.begin(call, pending, within: limit) }
    }

    /// Starts an operation on the worker, and waits for its outcome.
    private func finish(
        _ begin: @escaping @Sendable (BusWorker, PendingCall) -> Void
    ) async throws(BusError) -> [BusValue] {
        if Task.isCancelled { throw .cancelled }
        let pending = PendingCall()
        guard loop.post({ [worker] in begin(worker, pending) }) else {
            throw .disconnected("closed by this side")
        }
        let outcome = await pending.wait()
        if outcome == .failure(.cancelled) { loop.post { [worker] in worker.sweepSoon() } }
        return try outcome.get()
    }

    /// Calls a method without requesting a reply. The call is lost if there is no bus, or if 16
    /// MiB or more are waiting to be sent.
    public func post(_ call: MethodCall) {
        loop.post { [worker] in worker.post(call) }
    }

    /// Sends a signal from a local object. Returns when the signal is queued for sending, and
    /// suspends while the bus accepts no more data.
    public func emit(
        _ member: String,
        of interface: String,
        at path: ObjectPath,
        _ body: [BusValue]
    ) async throws(BusError) {
        _ = try await finish { worker, pending in
            worker.emit(path, interface, member, body, pending)
        }
    }

    /// Subscribes to the signals that match a rule, now and after every reconnection.
    public func add(_ rule: MatchRule) { loop.post { [worker] in worker.add(rule) } }

    /// Calls `handler` with every signal that arrives, on the connection's thread, until the
    /// subscription is released. The signals may include some that match no rule: any program on
    /// the bus can send them, so check the sender.
    public func onSignal(_ handler: @escaping @Sendable (BusMessage) -> Void) -> BusSubscription {
        let subscription = BusSubscription(loop, worker)
        register(subscription) { [weak subscription] worker in
            worker.onSignal { [weak subscription] message in
                if subscription?.isLive == true { handler(message) }
            }
        }
        return subscription
    }

    /// Calls `handler` with the current state and with every later change, on the connection's
    /// thread, until the subscription is released.
    public func onState(_ handler: @escaping @Sendable (BusState) -> Void) -> BusSubscription {
        let subscription = BusSubscription(loop, worker)
        register(subscription) { [weak subscription] worker in
            worker.onState { [weak subscription] state in
                if subscription?.isLive == true { handler(state) }
            }
        }
        return subscription
    }

    private func register(
        _ subscription: BusSubscription,
        _ body: @escaping @Sendable (BusWorker) -> UInt64
    ) {
        loop.post { [worker, weak subscription] in subscription?.handlerID(body(worker)) }
    }

    /// Exports an object, now and after every reconnection. There can be only one object per
    /// path.
    public func export(_ object: any BusObject, at path: ObjectPath) {
        loop.post { [worker] in worker.export(object, at: path) }
    }

    /// Removes an exported object.
    public func removeObject(at path: ObjectPath) {
        loop.post { [worker] in worker.remove(at: path) }
    }

    /// Runs a job on the connection's thread after `pause`.
    public func after(_ pause: Duration, _ job: @escaping @Sendable () -> Void) {
        loop.post { [loop] in loop.after(pause, job) }
    }

    /// Waits until the descriptor is writable, hung up or closed, the task is cancelled, or this
    /// connection is closed.
    ///
    /// - Returns: `false` if this connection is closed, in which case waiting is impossible.
    @discardableResult
    public func awaitWritable(_ descriptor: BusDescriptor) async -> Bool {
        let pending = PendingCall()
        descriptor.endAtClose(pending)
        guard loop.post({ [loop] in loop.awaitWritable(descriptor, pending) }) else { return false }
        if case .failure = await pending.wait() { return loop.post {} }
        return true
    }

    /// Calls `handler` on the connection's thread whenever the descriptor is readable or hung up,
    /// until the handler returns `over` or the descriptor or this connection is closed. The
    /// handler must not block, and should read at most a few dozen messages per call.
    ///
    /// - Parameters:
    ///   - descriptor: the descriptor to watch. It must not block.
    ///   - pause: the shortest time between two calls, so all messages that arrive within it cost
    ///     only one wake-up. After the pause, the handler may be called with nothing to read.
    ///   - handler: reads from the descriptor, and returns the result.
    public func onReadable(
        _ descriptor: BusDescriptor,
        pause: Duration = .zero,
        _ handler: @escaping @Sendable () -> BusReading
    ) {
        loop.post { [loop] in loop.listen(to: descriptor, pause: pause, handler) }
    }

    /// Fails all pending operations. Closes the connection and ends its thread once the bus has
    /// accepted all earlier messages, or after 5 s. Later calls fail.
    public func close() {
        loop.post { [worker] in worker.close() }
    }
}
