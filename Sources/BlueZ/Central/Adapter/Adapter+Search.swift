extension Adapter {
    /// The devices with this service that are connected now, by whichever program, in the order of
    /// their addresses. A device with a link mostly does not advertise, so that no scan hears it.
    public func connectedDevices(offering service: BluetoothUUID) -> [Device] {
        devices.filter { device in
            guard device.isConnected else { return false }
            // The daemon lists what was advertised, and adds what it finds over the link later.
            return device.discovery?.services.contains(service) == true
                || device.services.contains { $0.uuid == service }
        }
    }

    /// Finds a device with this service: one that is connected already, or else the first that is
    /// heard to advertise it.
    ///
    /// ```swift
    /// let sensor = try await adapter.device(offering: BluetoothUUID(0x180D), within: .seconds(30))
    /// try await sensor.connect()
    /// ```
    ///
    /// - Parameter limit: how long to scan; `nil` for ever, until the task is cancelled.
    /// - Throws: ``BlueZError/timedOut(_:)`` when none was heard; ``BlueZError/adapterOff``,
    ///   ``BlueZError/noAdapter(_:)`` or ``BlueZError/noDaemon`` when that ends the scan;
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
                    let what = "Looking for a device with the service \(service)"
                    return .failure(isOver ? .timedOut(what) : .cancelled)
                }
            }
            defer { group.cancelAll() }
            return await group.next() ?? .failure(.cancelled)
        }
        return try outcome.get()
    }

    private var whyScanEnded: BlueZError {
        if let whyAbsent = client.whyAbsent { return whyAbsent }
        return state == .unknown ? .noAdapter(name) : .adapterOff
    }
}
