import DBus

extension Device {
    /// The discovered services, in the order of their handles; empty before the device is
    /// connected.
    public var services: [RemoteService] {
        client.look { tree in tree.paths(with: Interface.service, below: path) }
            .map { RemoteService(client, $0) }
    }

    /// Returns the first service with this UUID. The daemon may set `ServicesResolved` slightly
    /// before it announces the services, so this method waits up to two seconds.
    ///
    /// - Throws: ``BlueZError/missing(_:)`` if the device has no such service.
    public func service(_ uuid: BluetoothUUID) async throws(BlueZError) -> RemoteService {
        let path = path
        let found = try await client.wait(orNilWithin: .seconds(2)) { tree in
            tree.paths(with: Interface.service, below: path).first {
                tree.property($0, Interface.service, "UUID")?.text == uuid.text
            }
        }
        guard let found else { throw .missing("service \(uuid)") }
        return RemoteService(client, found)
    }
}

extension BlueZClient {
    /// Waits until `condition` returns a value; returns `nil` when the time limit has passed.
    func wait<Value: Sendable>(
        orNilWithin limit: Duration,
        _ condition: @escaping @Sendable (borrowing ObjectTree) -> Value?
    ) async throws(BlueZError) -> Value? {
        do throws(BlueZError) {
            return try await wait(for: "", within: limit) { tree in
                condition(tree).map { .success($0) }
            }
        } catch {
            if case .timedOut = error { return nil }
            throw error
        }
    }
}
