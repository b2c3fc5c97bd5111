package import BlueZ

/// Searches for one device among those in range.
package struct DeviceSearch: Sendable {
    /// The time to wait for further devices after the first one was heard.
    private static let othersPause = Duration.seconds(2)

    private let adapter: Adapter
    private let target: DeviceTarget
    private let services: [BluetoothUUID]

    /// Creates a search over this adapter.
    ///
    /// - Parameter services: the services by which ``DeviceTarget/onlyOne`` and
    ///   ``DeviceTarget/successor(of:)`` recognize a device.
    package init(
        for target: DeviceTarget,
        services: [BluetoothUUID] = [UpdateService.uuid],
        over adapter: Adapter
    ) {
        self.target = target
        self.services = services
        self.adapter = adapter
    }

    /// Finds the device: immediately if the target is an address that the daemon knows, otherwise
    /// by a scan.
    ///
    /// - Throws: ``DeviceSearchError``.
    package func find(within limit: Duration) async throws(DeviceSearchError) -> Device {
        if case .address(let address) = target, let device = adapter.device(address) {
            return device
        }
        return try await scan(within: limit)
    }

    /// Finds the device by a scan, even if the daemon already knows its address.
    package func scan(within limit: Duration) async throws(DeviceSearchError) -> Device {
        let found: [Discovery]
        do {
            found = try await discoveries(within: limit)
        } catch let error as BlueZError {
            throw .daemon(error)
        } catch {
            throw .daemon(.cancelled)
        }
        if Task.isCancelled { throw .daemon(.cancelled) }
        guard let first = found.first else {
            guard let device = rememberedDevice else { throw .none(target) }
            return device
        }
        guard found.count == 1 else { throw .several(target, found) }
        return first.device
    }

    /// The only matching device that the daemon remembers. A controller that measures no signal
    /// strength may hear the device, yet the daemon does not report it if nothing in its
    /// advertisement is new.
    private var rememberedDevice: Device? {
        let known = adapter.devices.compactMap(\.discovery)
            .filter { target.admits($0, services) }
        return known.count == 1 ? known.first?.device : nil
    }

    private func discoveries(within limit: Duration) async throws -> [Discovery] {
        let filter = ScanFilter(services: target == .onlyOne ? services : [])
        let stream = try await adapter.scan(filter)
        let (target, services) = (target, services)
        return await withTaskGroup(of: [Discovery]?.self) { group in
            let (ended, end) = AsyncStream.makeStream(of: Void.self)
            group.addTask {
                var found: [BluetoothAddress: Discovery] = [:]
                for await discovery in stream where target.admits(discovery, services) {
                    found[discovery.address] = discovery
                    // An address identifies one device; several devices may share a name.
                    if case .address = target { break }
                    end.yield()
                }
                end.finish()
                return found.values.sorted { $0.address < $1.address }
            }
            group.addTask {
                try? await Task.sleep(for: limit)
                return nil
            }
            group.addTask {
                for await _ in ended {
                    try? await Task.sleep(for: Self.othersPause)
                    break
                }
                return nil
            }
            var found: [Discovery] = []
            for await result in group {
                // After a timer has expired, the devices found so far are the result.
                if let result { found = result } else { group.cancelAll() }
                if result != nil { group.cancelAll() }
            }
            return found
        }
    }
}
