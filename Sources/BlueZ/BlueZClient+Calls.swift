import DBus

extension BlueZClient {
    /// Calls a method of one of the daemon's objects and returns the arguments of its reply.
    @discardableResult
    func call(
        _ path: ObjectPath,
        _ interface: String,
        _ member: String,
        _ body: [BusValue] = [],
        within limit: Duration? = BlueZClient.promptly
    ) async throws(BlueZError) -> [BusValue] {
        let call = MethodCall(Self.destination, at: path, interface, member, body)
        do throws(BusError) {
            return try await bus.call(call, within: limit)
        } catch {
            throw BlueZError(error, at: path)
        }
    }

    /// Calls a method without waiting for a reply.
    func post(
        _ path: ObjectPath,
        _ interface: String,
        _ member: String,
        _ body: [BusValue] = []
    ) {
        bus.post(MethodCall(Self.destination, at: path, interface, member, body))
    }

    /// Sets a property.
    func set(
        _ path: ObjectPath,
        _ interface: String,
        _ name: String,
        _ value: BusValue,
        within limit: Duration = BlueZClient.promptly
    ) async throws(BlueZError) {
        let body: [BusValue] = [.string(interface), .string(name), .variant(value)]
        try await call(path, Interface.properties, "Set", body, within: limit)
    }

    /// Reads the current value of a property from the daemon.
    func get(
        _ path: ObjectPath,
        _ interface: String,
        _ name: String
    ) async throws(BlueZError) -> BusValue {
        let answer = try await call(
            path,
            Interface.properties,
            "Get",
            [.string(interface), .string(name)]
        )
        guard let value = answer.first?.unwrapped else { throw .failed("no value of \(name)") }
        return value
    }

    /// Reads the current values of all properties of an object. BlueZ 5.66 sometimes changes a
    /// property without sending a signal.
    func refresh(_ path: ObjectPath, _ interface: String) async throws(BlueZError) {
        while true {
            let revision = look { $0.revision(of: path) }
            let answer = try await call(
                path,
                Interface.properties,
                "GetAll",
                [.string(interface)]
            )
            // If signals that were sent after the reply have already been processed, the reply is
            // outdated.
            let properties = answer.first?.properties ?? [:]
            if take(properties, of: interface, at: path, ifStill: revision) { return }
        }
    }

    /// The reason why the most recent link to a device ended, as in ``Device/disconnectionReason``.
    package func disconnectionReason(of device: ObjectPath) -> DisconnectionReason {
        look { $0.disconnectionReason(of: device) }
    }

    /// Waits until `condition` returns a result. The condition is checked immediately and after
    /// each change of the object tree.
    ///
    /// - Throws: ``BlueZError/timedOut(_:)`` with `what`, ``BlueZError/noDaemon`` if the daemon
    ///   goes away in the meantime, and any error that the condition returns.
    func wait<Value: Sendable>(
        for what: String,
        within limit: Duration,
        _ condition: @escaping @Sendable (borrowing ObjectTree) -> Result<Value, BlueZError>?
    ) async throws(BlueZError) -> Value {
        let wait = ConditionWait<Value>()
        let subscription = onEvent { [weak self] event in
            if case .daemonVanished = event { return wait.end(.failure(.noDaemon)) }
            if let outcome = self?.look(condition) { wait.end(outcome) }
        }
        defer { subscription.end() }
        if let outcome = look(condition) { return try outcome.get() }
        guard isDaemonThere else { throw .noDaemon }
        bus.after(limit) { wait.end(.failure(.timedOut(what))) }
        let outcome = await withTaskCancellationHandler {
            await wait.outcome()
        } onCancel: {
            wait.end(.failure(.cancelled))
        }
        return try outcome.get()
    }
}
