import DBus
import Synchronization

extension Adapter {
    /// How often discovery is begun anew: some controllers report a device once each time only.
    private static let restartPause = Duration.seconds(4)
    /// The daemon drops what it is told in the first moments of a discovery, and that may be all
    /// that such a controller tells. So the first beginnings follow each other sooner.
    private static let earlyRestartPause = Duration.seconds(1)
    private static let earlyRestartCount = 8
    /// After so many beginnings in vain the scan is over: it would hear nothing, for ever.
    private static let vainRestartCountMax = 21
    /// The daemon begins up to 5 s after another client's discovery ended, and answers then.
    private static let beginningLimit = Duration.seconds(8)
    private static let waitingCountMax = 1_024

    /// Looks for devices until the stream is dropped, its task is cancelled or the adapter goes.
    ///
    /// Devices that are connected are told at once; others when they are heard. If the reader is
    /// slow the oldest of 1,024 discoveries are dropped: what counts is the newest.
    ///
    /// The stream ends as well when the daemon refuses to look for a minute.
    ///
    /// - Throws: ``BlueZError`` when discovery can't begin.
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
            // The daemon is asked anew from time to time; what fails now is tried again.
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
            // A client has one discovery, however many of its tasks look.
            guard client.endScan(id, at: path) else { return }
            client.post(path, Interface.adapter, "StopDiscovery")
        }
        return stream
    }

    /// Whether it looks for devices, for this program or another.
    public var isDiscovering: Bool {
        client.look { $0.property(path, Interface.adapter, "Discovering") }?.flag ?? false
    }

    /// Whether it began by this; it may run already.
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
            // It runs already: a client has one discovery, whoever asks for it.
            case .busy: return false
            // Of two clients that begin at once release 5.66 answers one, and counts both.
            case .timedOut: return false
            default: throw error
            }
        }
    }

    private func setDiscoveryFilter() async throws(BlueZError) {
        var options = Self.options(client.scanFilter(at: path))
        // Without a pattern the daemon hides devices that are not made discoverable: always if the
        // filter is empty, and from 5.67 on if it asks an adapter without BR/EDR for what that does
        // anyway. The empty pattern admits all.
        options["Pattern"] = .string("")
        do throws(BlueZError) {
            try await client.call(
                path,
                Interface.adapter,
                "SetDiscoveryFilter",
                [.options(options)]
            )
        } catch {
            // Releases before 5.54 don't know patterns.
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
        // Only what differs from the default is said: old daemons on 32 bits can't take booleans.
        if filter.tellsDuplicates { options["DuplicateData"] = .boolean(true) }
        return options
    }
}

/// Lets through what is new, or everything.
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
