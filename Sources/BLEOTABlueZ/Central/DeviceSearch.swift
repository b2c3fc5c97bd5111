package import BlueZ

/// Looks for one device among those in range.
package struct DeviceSearch: Sendable {
    /// After the first device the others get as long to be heard.
    private static let othersPause = Duration.seconds(2)

    private let adapter: Adapter
    private let target: DeviceTarget

    /// A search over this adapter.
    package init(for target: DeviceTarget, over adapter: Adapter) {
        self.target = target
        self.adapter = adapter
    }

    /// Finds the device: at once if the daemon has its address and knows it, else by a scan.
    ///
    /// - Throws: ``DeviceSearchError``.
    package func find(within limit: Duration) async throws(DeviceSearchError) -> Device {
        if case .address(let address) = target, let device = adapter.device(address) {
            return device
        }
        return try await scan(within: limit)
    }

    /// The same by a scan, as when the daemon has forgotten the device.
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

    /// The only one that is meant of those that the daemon knows from before. A controller that
    /// measures no signal strength may hear it, and where nothing in its advertisement is new, the
    /// daemon tells nobody.
    private var rememberedDevice: Device? {
        let known = adapter.devices.compactMap(\.discovery).filter(target.admits)
        return known.count == 1 ? known.first?.device : nil
    }

    private func discoveries(within limit: Duration) async throws -> [Discovery] {
        let filter = ScanFilter(services: target == .onlyOne ? [UpdateService.uuid] : [])
        let stream = try await adapter.scan(filter)
        let target = target
        return await withTaskGroup(of: [Discovery]?.self) { group in
            let (ended, end) = AsyncStream.makeStream(of: Void.self)
            group.addTask {
                var found: [BluetoothAddress: Discovery] = [:]
                for await discovery in stream where target.admits(discovery) {
                    found[discovery.address] = discovery
                    // An address is one device; of a name there may be several.
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
                // A pause is over: what was found by now is the answer.
                if let result { found = result } else { group.cancelAll() }
                if result != nil { group.cancelAll() }
            }
            return found
        }
    }
}
