import DBus

extension BlueZClient {
    /// The adapters of this machine, sorted by name.
    public var adapters: [Adapter] {
        look { $0.paths(with: Interface.adapter) }.map { Adapter(self, $0) }
    }

    /// Selects an adapter: the one with this name or address. Without a name, selects the first
    /// adapter that is on and supports the role, or else the first adapter that supports the role,
    /// or else the first adapter.
    ///
    /// - Parameters:
    ///   - name: the name or address of the adapter; any adapter by default.
    ///   - role: the role that the adapter is needed for; any role by default.
    /// - Throws: ``BlueZError/noAdapter(_:)``; ``BlueZError/noDaemon`` or
    ///   ``BlueZError/noBus(_:)`` while the daemon or the bus is absent.
    public func adapter(
        _ name: String? = nil,
        for role: AdapterRole? = nil
    ) throws(BlueZError) -> Adapter {
        if let whyAbsent { throw whyAbsent }
        let adapters = adapters
        guard let name else {
            let adapter =
                adapters.first { $0.state(for: role) == .on }
                ?? adapters.first { $0.state(for: role) != .unsupported } ?? adapters.first
            guard let adapter else { throw .noAdapter(nil) }
            return adapter
        }
        let address = BluetoothAddress(name)
        guard
            let adapter = adapters.first(where: {
                $0.name == name || (address != nil && $0.address == address)
            })
        else { throw .noAdapter(name) }
        return adapter
    }

    /// Selects an adapter like ``adapter(_:for:)``, and throws unless it is ready. An adapter
    /// whose state is changing or unknown counts as ready.
    ///
    /// - Throws: ``BlueZError/adapterOff``, ``BlueZError/adapterBlocked(_:)``,
    ///   ``BlueZError/adapterUnsupported(_:_:)``, and the errors of ``adapter(_:for:)``.
    public func readyAdapter(
        _ name: String? = nil,
        for role: AdapterRole? = nil
    ) throws(BlueZError) -> Adapter {
        let adapter = try adapter(name, for: role)
        switch adapter.state(for: role) {
        case .on, .unknown, .resetting: return adapter
        case .blocked: throw .adapterBlocked(adapter.radioBlock ?? .soft)
        case .off: throw .adapterOff
        case .unsupported: throw .adapterUnsupported(adapter.name, role)
        }
    }

    /// Selects an adapter like ``adapter(_:for:)``, and waits until it is on. If necessary, waits
    /// for the daemon to restart, and for the adapter to be plugged in, unblocked and switched
    /// on.
    ///
    /// - Parameters:
    ///   - name: the name or address of the adapter; any adapter by default.
    ///   - role: the role that the adapter is needed for; any role by default.
    ///   - limit: how long to wait; `nil` to wait until the task is cancelled.
    /// - Throws: the error of ``readyAdapter(_:for:)`` when the time limit has passed;
    ///   ``BlueZError/cancelled``.
    public func readyAdapter(
        _ name: String? = nil,
        for role: AdapterRole? = nil,
        within limit: Duration?
    ) async throws(BlueZError) -> Adapter {
        // `nil` means that the time limit has passed.
        let wait = ConditionWait<Adapter?>()
        let look = { @Sendable [weak self] in
            guard let adapter = try? self?.adapter(name, for: role),
                adapter.state(for: role) == .on
            else { return }
            wait.end(.success(adapter))
        }
        let subscription = onEvent { if $0.isAboutAdapters { look() } }
        defer { subscription.end() }
        look()
        let alarm = limit.map { limit in
            Task {
                try await Task.sleep(for: limit)
                wait.end(.success(nil))
            }
        }
        defer { alarm?.cancel() }
        let outcome = await withTaskCancellationHandler {
            await wait.outcome()
        } onCancel: {
            wait.end(.failure(.cancelled))
        }
        guard let adapter = try outcome.get() else { return try readyAdapter(name, for: role) }
        return adapter
    }

    /// Sleeps; throws ``BlueZError/cancelled`` if the task is cancelled in the meantime.
    func pause(_ duration: Duration) async throws(BlueZError) {
        do {
            try await Task.sleep(for: duration)
        } catch {
            throw .cancelled
        }
    }
}

extension BlueZEvent {
    /// Whether the event may have made an adapter ready.
    fileprivate var isAboutAdapters: Bool {
        let interfaces = [Interface.adapter, Interface.gattManager, Interface.advertisingManager]
        switch self {
        case .daemonAppeared: return true
        case .added(_, let added): return interfaces.contains { added[$0] != nil }
        case .changed(_, Interface.adapter, _, _): return true
        default: return false
        }
    }
}
