import DBus

extension Device {
    /// The services that are known, in the order of their handles; none before it is connected.
    public var services: [RemoteService] {
        client.look { tree in tree.paths(with: Interface.service, below: path) }
            .map { RemoteService(client, $0) }
    }

    /// The first service with this UUID. The daemon may say that all services are known a little
    /// before it tells of them, so that this waits up to two seconds for it.
    ///
    /// - Throws: ``BlueZError/missing(_:)``.
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
    /// Waits until `condition` finds something; `nil` if it does not in time.
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
