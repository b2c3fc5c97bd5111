import Glibc

/// A connection to a bus, on a thread of its own.
///
/// When the bus goes away, everything that waits fails with ``BusError/disconnected(_:)``; the
/// connection is made again as soon as there is a bus, with its matches and objects.
///
/// ```swift
/// let bus = try await BusConnection.open(.system)
/// let root = MethodCall("org.bluez", at: .root, "org.freedesktop.DBus.ObjectManager",
///     "GetManagedObjects")
/// let objects = try await bus.call(root, within: .seconds(5))
/// ```
///
/// Signals and the changes of state reach their handlers on that thread, in the order in which the
/// bus sent them, and before the answer of a call that came after them; handlers must not wait.
public final class BusConnection: Sendable {
    let loop: BusLoop
    private let worker: BusWorker

    private init(_ address: BusAddress) throws(BusError) {
        loop = try BusLoop()
        worker = BusWorker(address, on: loop)
        loop.start()
    }

    deinit { close() }

    /// Connects, and returns once the bus has given us a name.
    ///
    /// - Throws: ``BusError/disconnected(_:)`` when there is no bus, or it does not let us in;
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

    /// Calls a method and waits for the answer.
    ///
    /// - Parameter limit: how long to wait; for ever by default, since some methods take minutes.
    /// - Returns: the arguments of the answer.
    public func call(
        _ call: MethodCall,
        within limit: Duration? = nil
    ) async throws(BusError) -> [BusValue] {
        try await finish { worker, pending in worker.begin(call, pending, within: limit) }
    }

    /// Lets the worker begin something, and waits until it is over.
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

    /// Calls a method that is not asked for an answer; lost while there is no bus, or while it has
    /// 16 MiB to take.
    public func post(_ call: MethodCall) {
        loop.post { [worker] in worker.post(call) }
    }

    /// Sends a signal of one of our objects, and returns when it is on its way: this suspends while
    /// the bus takes nothing.
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

    /// Asks the bus for signals, now and after every reconnection.
    public func add(_ rule: MatchRule) { loop.post { [worker] in worker.add(rule) } }

    /// Calls `handler` with every signal that arrives, on the connection's thread, until the
    /// subscription is dropped. That may be signals that no rule asks for: anybody on the bus may
    /// send some to us, so look at the sender.
    public func onSignal(_ handler: @escaping @Sendable (BusMessage) -> Void) -> BusSubscription {
        let subscription = BusSubscription(loop, worker)
        register(subscription) { [weak subscription] worker in
            worker.onSignal { [weak subscription] message in
                if subscription?.isLive == true { handler(message) }
            }
        }
        return subscription
    }

    /// Calls `handler` with the state now and whenever it changes, on the connection's thread,
    /// until the subscription is dropped.
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

    /// Offers an object to others, now and after every reconnection; one at each path.
    public func export(_ object: any BusObject, at path: ObjectPath) {
        loop.post { [worker] in worker.export(object, at: path) }
    }

    /// Offers it no longer.
    public func removeObject(at path: ObjectPath) {
        loop.post { [worker] in worker.remove(at: path) }
    }

    /// Runs a job on the connection's thread after `pause`.
    public func after(_ pause: Duration, _ job: @escaping @Sendable () -> Void) {
        loop.post { [loop] in loop.after(pause, job) }
    }

    /// Waits until the descriptor can be written, is hung up or closed, or the task is cancelled,
    /// or this connection is closed.
    ///
    /// - Returns: false if this connection is closed, so that nobody can wait.
    @discardableResult
    public func awaitWritable(_ descriptor: BusDescriptor) async -> Bool {
        let pending = PendingCall()
        descriptor.endAtClose(pending)
        guard loop.post({ [loop] in loop.awaitWritable(descriptor, pending) }) else { return false }
        if case .failure = await pending.wait() { return loop.post {} }
        return true
    }

    /// Calls `handler` on the connection's thread whenever the descriptor can be read or is hung
    /// up, until the handler returns false, the descriptor or this connection is closed. The
    /// handler must not wait, and should leave the rest for the next call after some dozens of
    /// messages.
    ///
    /// - Parameter pause: what lies at least between two calls, so that what comes meanwhile costs
    ///   one wake-up and not one each.
    public func onReadable(
        _ descriptor: BusDescriptor,
        pause: Duration = .zero,
        _ handler: @escaping @Sendable () -> Bool
    ) {
        loop.post { [loop] in loop.listen(to: descriptor, pause: pause, handler) }
    }

    /// Ends what waits, and the connection with its thread once the bus has taken what was sent
    /// before, or has not for 5 s. Later calls fail.
    public func close() {
        loop.post { [worker] in worker.close() }
    }
}
