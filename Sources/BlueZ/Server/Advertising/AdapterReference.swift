import DBus

/// An adapter identified by its address, since its path may change when it is plugged in again.
struct AdapterReference: Sendable {
    private let client: BlueZClient
    private let address: String

    /// - Throws: ``BlueZError/noAdapter(_:)``, ``BlueZError/noDaemon``.
    init(_ client: BlueZClient, _ path: ObjectPath) throws(BlueZError) {
        guard client.isDaemonThere else { throw .noDaemon }
        let address = client.look { $0.property(path, Interface.adapter, "Address")?.text }
        guard let address else { throw .noAdapter(path.lastElement) }
        self.client = client
        self.address = address
    }

    /// The adapter's current path.
    ///
    /// - Throws: ``BlueZError/noAdapter(_:)`` or ``BlueZError/noDaemon``; an event announces when
    ///   the adapter or the daemon is back.
    func path() throws(BlueZError) -> ObjectPath {
        guard client.isDaemonThere else { throw .noDaemon }
        let path = client.look { tree in
            tree.paths(with: Interface.adapter)
                .first { tree.property($0, Interface.adapter, "Address")?.text == address }
        }
        guard let path else { throw .noAdapter(address) }
        return path
    }

    /// Whether the adapter at this path is switched on.
    func isPowered(_ path: ObjectPath) -> Bool {
        client.look { $0.property(path, Interface.adapter, "Powered")?.flag } ?? false
    }
}
