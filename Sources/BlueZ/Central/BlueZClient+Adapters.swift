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

    /// Sleeps, and throws ``BlueZError/cancelled`` if the task is cancelled meanwhile.
    func pause(_ duration: Duration) async throws(BlueZError) {
        do {
            try await Task.sleep(for: duration)
        } catch {
            throw .cancelled
        }
    }
}
