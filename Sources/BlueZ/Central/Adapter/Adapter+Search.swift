extension Adapter {
    /// The devices with this service that are connected to this machine by any program, sorted by
    /// address. A connected device usually does not advertise, so a scan would not find it.
    public func connectedDevices(offering service: BluetoothUUID) -> [Device] {
        devices.filter { device in
            guard device.isConnected else { return false }
            // The daemon first lists the advertised services, and later adds those discovered
            // over the link.
            return device.discovery?.services.contains(service) == true
                || device.services.contains { $0.uuid == service }
        }
    }

    /// Finds a device with this service: one that is already connected, or otherwise the first
    /// that advertises it.
    ///
    /// ```swift
    /// let sensor = try await adapter.device(offering: BluetoothUUID(0x180D), within: .seconds(30))
    /// try await sensor.connect()
    /// ```
    ///
    /// - Parameters:
    ///   - service: the UUID of the service.
    ///   - limit: how long to scan; `nil` to scan until the task is cancelled.
    /// - Throws: ``BlueZError/timedOut(_:)`` if no device was found; ``BlueZError/adapterOff``,
    ///   ``BlueZError/noAdapter(_:)`` or ``BlueZError/noDaemon`` if one of these ended the scan;
    ///   ``BlueZError/cancelled``.
    public func device(
        offering service: BluetoothUUID,
        within limit: Duration?
    ) async throws(BlueZError) -> Device {
        if let device = connectedDevices(offering: service).first { return device }
        let stream = try await scan(ScanFilter(services: [service]))
        let outcome = await withTaskGroup(of: Result<Device, BlueZError>.self) { group in
            group.addTask {
                for await found in stream { return .success(found.device) }
                return .failure(Task.isCancelled ? .cancelled : whyScanEnded)
            }
            if let limit {
                group.addTask {
                    let isOver = (try? await Task.sleep(for: limit)) != nil
                    let what = "Looking for a device with service \(service)"
                    return .failure(isOver ? .timedOut(what) : .cancelled)
                }
            }
            defer { group.cancelAll() }
            return await group.next() ?? .failure(.cancelled)
        }
        return try outcome.get()
    }

    /// Why a scan has ended by itself.
    var whyScanEnded: BlueZError {
        if let whyAbsent = client.whyAbsent { return whyAbsent }
        return state == .unknown ? .noAdapter(name) : .adapterOff
    }
}
