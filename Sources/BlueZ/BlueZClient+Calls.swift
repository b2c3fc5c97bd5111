import DBus

extension BlueZClient {
    /// Calls a method of one of the daemon's objects.
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

    /// Calls a method and does not wait for the answer.
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

    /// Asks for a property as it is now.
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

    /// Asks for all properties of an object as they are now. Release 5.66 sometimes changes one
    /// without telling.
    func refresh(_ path: ObjectPath, _ interface: String) async throws(BlueZError) {
        while true {
            let revision = look { $0.revision(of: path) }
            let answer = try await call(
                path,
                Interface.properties,
                "GetAll",
                [.string(interface)]
            )
            // What the daemon told after its answer may be known here before it.
            let properties = answer.first?.properties ?? [:]
            if take(properties, of: interface, at: path, ifStill: revision) { return }
        }
    }

    /// Why the last link to a device ended, as ``Device/disconnectionReason``.
    package func disconnectionReason(of device: ObjectPath) -> DisconnectionReason {
        look { $0.disconnectionReason(of: device) }
    }

    /// Waits until `condition` finds something in what is known, which it is asked at once and
    /// after each change.
    ///
    /// - Throws: ``BlueZError/timedOut(_:)`` about `what`, ``BlueZError/noDaemon`` when it goes
    ///   away meanwhile, and what the condition throws.
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
