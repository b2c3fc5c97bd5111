import DBus

extension BlueZClient {
    /// The adapters of this machine, in the order of their names.
    public var adapters: [Adapter] {
        look { $0.paths(with: Interface.adapter) }.map { Adapter(self, $0) }
    }

    /// The adapter to use: the one with this name or address or, without one, the first that is
    /// switched on, or the first.
    ///
    /// - Throws: ``BlueZError/noAdapter(_:)``.
    public func adapter(_ name: String? = nil) throws(BlueZError) -> Adapter {
        let adapters = adapters
        guard let name else {
            guard let adapter = adapters.first(where: { $0.state == .on }) ?? adapters.first else {
                throw .noAdapter(nil)
            }
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

    /// The same, switched on: an adapter that is off is an error that says so.
    public func readyAdapter(_ name: String? = nil) throws(BlueZError) -> Adapter {
        let adapter = try adapter(name)
        switch adapter.state {
        case .on, .unknown, .resetting: return adapter
        case .blocked: throw .adapterBlocked
        case .off, .unsupported: throw .adapterOff
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
