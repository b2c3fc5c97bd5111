import DBus

extension BlueZClient {
    /// The adapters of this machine, in the order of their names.
    public var adapters: [Adapter] {
        look { $0.paths(with: Interface.adapter) }.map { Adapter(self, $0) }
    }

    /// The adapter to use: the one with this name or address or, without one, the first that is
    /// on and has the role, or the first that has the role, or the first.
    ///
    /// - Parameter role: what it is for; anything by default.
    /// - Throws: ``BlueZError/noAdapter(_:)``, and ``BlueZError/noDaemon`` or
    ///   ``BlueZError/noBus(_:)`` while there is nobody who could tell.
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

    /// The same, ready to use: that an adapter is off, blocked or has not the role is an error that
    /// says so. One that is on its way to another state is taken for ready.
    ///
    /// - Throws: ``BlueZError/adapterOff``, ``BlueZError/adapterBlocked(_:)``,
    ///   ``BlueZError/adapterUnsupported(_:_:)``, and what ``adapter(_:for:)`` throws.
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

    /// The same, as soon as it is on: waits through a restart of the daemon, and until the adapter
    /// is plugged in, unblocked and switched on.
    ///
    /// - Parameter limit: how long to wait; `nil` for ever, until the task is cancelled.
    /// - Throws: when the time is over what ``readyAdapter(_:for:)`` throws then;
    ///   ``BlueZError/cancelled``.
    public func readyAdapter(
        _ name: String? = nil,
        for role: AdapterRole? = nil,
        within limit: Duration?
    ) async throws(BlueZError) -> Adapter {
        // Without an adapter: the time is over.
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

    /// Sleeps, and throws ``BlueZError/cancelled`` if the task is cancelled meanwhile.
    func pause(_ duration: Duration) async throws(BlueZError) {
        do {
            try await Task.sleep(for: duration)
        } catch {
            throw .cancelled
        }
    }
}

extension BlueZEvent {
    /// Whether it may make an adapter ready that was not.
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
