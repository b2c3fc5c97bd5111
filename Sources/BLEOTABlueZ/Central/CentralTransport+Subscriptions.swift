import BLEOTA
import BlueZ

/// Subscribes a link to events of the daemon and to notifications from the device.
extension CentralTransport {
    /// - Throws: ``BlueZError/needsPairing`` if an unpaired device refuses the subscription, even
    ///   though the daemon then never answers.
    func subscribe(within limit: Duration) async throws(BlueZError) {
        guard !device.isPaired else { return try await listen() }
        do throws(BlueZError) {
            try await device.client.limited(to: limit, "Subscribing") { () throws(BlueZError) in
                try await self.listen()
            }
        } catch .timedOut {
            throw device.isConnected ? .needsPairing : .disconnected
        }
    }

    /// Ends the link when the daemon reports that the link has ended.
    func watch() throws(BlueZError) {
        let (path, used) = (device.path, service.paths)
        let events = device.client.onEvent { [weak self] event in
            switch event {
            case .daemonVanished: self?.close(.failed("the Bluetooth daemon stopped"))
            case .removed(path, let interfaces):
                if interfaces.contains(Interface.device) { self?.close(.remote) }
            case .removed(let gone, _) where used.contains(gone):
                self?.close(.failed("the device's services changed"))
            case .changed(path, _, let changed, _):
                if changed["Connected"]?.flag == false { self?.closeAsTold() }
            default: break
            }
        }
        ending.keep([events])
        guard device.isConnected else { throw .disconnected }
    }

    private func listen() async throws(BlueZError) {
        try watch()
        let control = try await service.control.subscribe { [weak self] bytes in
            self?.take(bytes, on: .control)
        }
        ending.keep([control])
        if receives { try await subscribeToData() }
        guard device.isConnected else { throw .disconnected }
    }

    private func hasEnded(within limit: Duration) async -> Bool {
        let device = device
        _ = try? await device.client.limited(to: limit, "Disconnecting") {
            () throws(BlueZError) in try await device.awaitDisconnection()
        }
        return !device.isConnected
    }

    private func subscribeToData() async throws(BlueZError) {
        guard let dataOut = service.dataOut else { return }
        do throws(BlueZError) {
            ending.keep([
                try await dataOut.subscribe { [weak self] bytes in self?.take(bytes, on: .data) }
            ])
        } catch .att(let error) {
            // A device on BlueZ 5.66 that requires pairing responds with "unlikely error". If the
            // link is lost, the daemon reports the same error, and a moment later the loss.
            if await hasEnded(within: .milliseconds(500)) { throw .disconnected }
            throw device.isPaired ? .att(error) : .needsPairing
        }
    }
}
