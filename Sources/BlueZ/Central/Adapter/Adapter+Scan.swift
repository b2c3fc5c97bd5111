import DBus
import Synchronization

extension Adapter {
    /// The interval at which discovery is restarted, because some controllers report a device
    /// only once per discovery.
    private static let restartPause = Duration.seconds(4)
    /// The interval of the first restarts. The daemon drops reports during the first moments of a
    /// discovery, and a controller that reports each device only once then sends no more.
    private static let earlyRestartPause = Duration.seconds(1)
    private static let earlyRestartCount = 8
    /// The number of consecutive failed restarts after which the scan ends, because it would
    /// never find anything.
    private static let vainRestartCountMax = 21
    /// The time limit for starting discovery. The daemon may need 5 s after another client's
    /// discovery has ended, and replies only then.
    private static let beginningLimit = Duration.seconds(8)
    private static let waitingCountMax = 1_024

    /// Scans for devices until the stream is dropped, the task that reads it is cancelled, or the
    /// adapter is removed or switched off.
    ///
    /// Connected devices are reported immediately, and others as their advertisements arrive. If
    /// the reader is slow, only the newest 1,024 discoveries are kept, because they supersede older
    /// ones.
    ///
    /// If the daemon refuses discovery for more than a minute, the stream ends too.
    ///
    /// - Throws: ``BlueZError`` if discovery cannot start.
    public func scan(
        _ filter: ScanFilter = ScanFilter()
    ) async throws(BlueZError) -> AsyncStream<Discovery> {
        try await scan(filter, restartingEvery: Self.restartPause)
    }

    package func scan(
        _ filter: ScanFilter,
        restartingEvery pause: Duration
    ) async throws(BlueZError) -> AsyncStream<Discovery> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Discovery.self,
            bufferingPolicy: .bufferingNewest(Self.waitingCountMax)
        )
        let sieve = ScanSieve(filter)
        let (client, path) = (client, path)
        let subscription = client.onEvent { event in
            switch event {
            case .daemonVanished: continuation.finish()
            case .removed(path, let interfaces):
                if interfaces.contains(Interface.adapter) { continuation.finish() }
            case .removed(let device, _): sieve.forget(device)
            case .added(let device, let interfaces):
                guard device.isBelow(path), interfaces[Interface.device] != nil else { return }
                tell(device, isHeard: interfaces[Interface.device]?["RSSI"] != nil)
            case .changed(path, Interface.adapter, let changed, _):
                if changed["Powered"]?.flag == false { continuation.finish() }
            case .changed(let device, Interface.device, let changed, _):
                guard device.isBelow(path) else { return }
                let isHeard =
                    changed["RSSI"] != nil || changed["ManufacturerData"] != nil
                    || changed["ServiceData"] != nil || changed["Name"] != nil
                    || changed["UUIDs"] != nil || changed["Connected"]?.flag == true
                if isHeard { tell(device, isHeard: true) }
            default: break
            }
        }
        @Sendable func tell(_ device: ObjectPath, isHeard: Bool) {
            let found = client.look { tree in tree.properties(device, Interface.device) }
                .flatMap { Discovery(Device(client, device), $0) }
            guard let found, isHeard || found.rssi != nil || found.isConnected else { return }
            if sieve.admits(found) { continuation.yield(found) }
        }
        let id = client.beginScan(filter, at: path)
        do throws(BlueZError) {
            _ = try await beginDiscovery()
        } catch {
            _ = client.endScan(id, at: path)
            throw error
        }
        for device in devices { tell(device.path, isHeard: false) }
        let refreshing = Task {
            // Discovery is restarted regularly; errors are ignored, because the next restart
            // tries again.
            var (count, vainCount) = (0, 0)
            while vainCount < Self.vainRestartCountMax {
                let isEarly = count < Self.earlyRestartCount
                try await Task.sleep(for: isEarly ? min(Self.earlyRestartPause, pause) : pause)
                count += 1
                _ = try? await client.call(path, Interface.adapter, "StopDiscovery")
                let isBegun = (try? await beginDiscovery()) ?? false
                vainCount = isBegun || isDiscovering ? 0 : vainCount + 1
                try? await client.reconcile(below: path)
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in
            subscription.end()
            refreshing.cancel()
            // All scans of a client share one discovery, so only the last one stops it.
            guard client.endScan(id, at: path) else { return }
            client.post(path, Interface.adapter, "StopDiscovery")
        }
        return stream
    }

    /// Whether the adapter is scanning for devices, for this program or another one.
    public var isDiscovering: Bool {
        client.look { $0.property(path, Interface.adapter, "Discovering") }?.flag ?? false
    }

    /// Starts discovery; returns `false` if it may be running already.
    private func beginDiscovery() async throws(BlueZError) -> Bool {
        try await setDiscoveryFilter()
        do throws(BlueZError) {
            try await client.call(
                path,
                Interface.adapter,
                "StartDiscovery",
                within: Self.beginningLimit
            )
            return true
        } catch {
            switch error {
            // Discovery is running already: all scans of a client share it.
            case .busy: return false
            // If two clients start discovery at once, BlueZ 5.66 replies to only one of them, but
            // counts both.
            case .timedOut: return false
            default: throw error
            }
        }
    }

    private func setDiscoveryFilter() async throws(BlueZError) {
        var options = Self.options(client.scanFilter(at: path))
        // Without a pattern, the daemon may hide devices that are not discoverable. Every release
        // does so if the filter is empty. Since 5.67, the daemon also does so if the filter asks an
        // LE-only adapter for the LE transport. The empty pattern admits all devices.
        options["Pattern"] = .string("")
        do throws(BlueZError) {
            try await client.call(
                path,
                Interface.adapter,
                "SetDiscoveryFilter",
                [.options(options)]
            )
        } catch {
            // BlueZ before 5.54 does not support patterns.
            guard case .invalid = error else { throw error }
            options["Pattern"] = nil
            try await client.call(
                path,
                Interface.adapter,
                "SetDiscoveryFilter",
                [.options(options)]
            )
        }
    }

    private static func options(_ filter: ScanFilter) -> [String: BusValue] {
        var options: [String: BusValue] = ["Transport": .string("le")]
        if !filter.services.isEmpty { options["UUIDs"] = .strings(filter.services.map(\.text)) }
        if let rssi = filter.weakestRSSI { options["RSSI"] = .int16(Int16(clamping: rssi)) }
        // Only values that differ from the default are sent: old 32-bit daemons cannot parse
        // booleans.
        if filter.tellsDuplicates { options["DuplicateData"] = .boolean(true) }
        return options
    }
}

/// Lets new discoveries through, or all of them if the filter asks for duplicates.
private final class ScanSieve: Sendable {
    private let filter: ScanFilter
    private let told = Mutex<[ObjectPath: Discovery]>([:])

    init(_ filter: ScanFilter) { self.filter = filter }

    func admits(_ found: Discovery) -> Bool {
        guard filter.admits(found) else { return false }
        return told.withLock { told in
            let isNew = told[found.device.path] != found
            told[found.device.path] = found
            return isNew || filter.tellsDuplicates
        }
    }

    func forget(_ device: ObjectPath) {
        _ = told.withLock { $0.removeValue(forKey: device) }
    }
}
