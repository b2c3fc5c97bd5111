package import BLEOTA
package import BlueZ
import Synchronization

/// Finds a device, and finds it again after the link is lost, even if the daemon has restarted, the
/// adapter was switched off and on, or the daemon has forgotten the device.
package final class DeviceFinder: Sendable {
    /// The time that both controllers need to release a lost link.
    private static let settlement = Duration.seconds(1)
    /// The shortest time limit for an attempt, even near the deadline; it is enough for one
    /// reply.
    private static let remainderMin = Duration.milliseconds(500)

    /// The time within which an advertising device is normally heard; after this, the device
    /// counts as unheard.
    private static let hearingMax = Duration.seconds(8)

    private let client: BlueZClient
    private let adapterName: String?
    private let target: DeviceTarget
    private let services: [BluetoothUUID]
    private let limit: Duration
    private let pairs: Bool
    /// The address of the device, once found; all later links go to the same device.
    private let address = Mutex<BluetoothAddress?>(nil)

    /// Creates a finder for one device.
    ///
    /// - Parameters:
    ///   - adapter: the name or address of the adapter; the first powered adapter by default.
    ///   - services: the services by which ``DeviceTarget/onlyOne`` recognizes a device.
    ///   - limit: the longest time that one call of ``open(onDisconnection:_:)`` may take to find
    ///     the device, connect to it, and retry after failures. Pairing is not included; it has its
    ///     own limit of one minute.
    ///   - pairs: whether to pair with an unpaired device. If so, a ``BlueZ/PairingAgent`` must be
    ///     registered to answer pairing requests.
    package init(
        _ client: BlueZClient,
        adapter: String? = nil,
        to target: DeviceTarget,
        services: [BluetoothUUID] = [UpdateService.uuid],
        within limit: Duration = .seconds(30),
        pairs: Bool = false
    ) {
        self.client = client
        adapterName = adapter
        self.target = target
        self.services = services
        self.limit = limit
        self.pairs = pairs
    }

    /// The address of the device; `nil` before it has been found.
    package var foundAddress: BluetoothAddress? { address.withLock { $0 } }

    /// The address of the device, if the daemon has a bond with it.
    package var bondedAddress: BluetoothAddress? {
        guard let found = foundAddress,
            let adapter = try? client.readyAdapter(adapterName, for: .central)
        else { return nil }
        return adapter.device(found)?.isPaired == true ? found : nil
    }

    /// Finds the device and opens a link to it with `body`. If the device drops the link during
    /// setup, as is common on real radios, further attempts follow until the time limit.
    ///
    /// - Parameters:
    ///   - onDisconnection: called whenever the device has ended a link during setup.
    ///   - body: connects to the device within the given time.
    package func open<Link>(
        onDisconnection: () -> Void = {},
        _ body: (Device, Duration) async throws -> Link
    ) async throws(TransferError) -> Link {
        do {
            return try await opened(onDisconnection, body)
        } catch let error as DeviceSearchError {
            throw Self.transferError(error)
        } catch let error as BlueZError {
            throw Self.transferError(.daemon(error))
        } catch let error as TransferError {
            throw error
        } catch is CancellationError {
            throw TransferError(.cancelled)
        } catch {
            throw TransferError(.cannotConnect("\(error)"))
        }
    }

    private func opened<Link>(
        _ onDisconnection: () -> Void,
        _ body: (Device, Duration) async throws -> Link
    ) async throws -> Link {
        var deadline = ContinuousClock.now + limit
        var hasForgotten = false
        while true {
            do {
                return try await attempt(until: &deadline, body)
            } catch {
                let isOutdated = !hasForgotten && Self.isOutdated(error)
                if isOutdated { hasForgotten = await forget() }
                guard Self.isWorthAnother(error) || isOutdated && hasForgotten,
                    ContinuousClock.now + Self.settlement + Self.remainderMin < deadline
                else { throw error }
                if case BlueZError.disconnected = error { onDisconnection() }
            }
        }
    }

    private func attempt<Link>(
        until deadline: inout ContinuousClock.Instant,
        _ body: (Device, Duration) async throws -> Link
    ) async throws -> Link {
        let known = address.withLock { $0 }
        let device =
            if let known, let device = connectedDevice(known) {
                device
            } else {
                try await found(known, until: deadline)
            }
        address.withLock { $0 = device.address ?? $0 }
        if pairs, !device.isPaired {
            let beganAt = ContinuousClock.now
            try await device.pair()
            deadline += beganAt.duration(to: .now)
        }
        return try await body(device, Self.left(until: deadline))
    }

    /// The device, if it is still connected, for example after its services were discovered.
    private func connectedDevice(_ address: BluetoothAddress) -> Device? {
        let adapter = try? client.readyAdapter(adapterName, for: .central)
        return adapter?.device(address).flatMap { $0.isConnected ? $0 : nil }
    }

    private func found(
        _ known: BluetoothAddress?,
        until deadline: ContinuousClock.Instant
    ) async throws -> Device {
        if known != nil { try await Task.sleep(for: Self.settlement) }
        let adapter = try await adapter(isKnown: known != nil, until: deadline)
        let search = DeviceSearch(
            for: known.map { .address($0) } ?? target,
            services: services,
            over: adapter
        )
        if let known { return try await heardAgain(known, search, adapter, until: deadline) }
        return try await search.find(within: Self.left(until: deadline))
    }

    /// Waits until a scan has heard the lost device again, because a premature attempt to connect
    /// can occupy the controller for a long time. If the scan does not hear it in time, the
    /// device that the daemon remembers is used, if any: a daemon whose controller measures no
    /// RSSI does not report a device whose advertisement is unchanged.
    private func heardAgain(
        _ address: BluetoothAddress,
        _ search: DeviceSearch,
        _ adapter: Adapter,
        until deadline: ContinuousClock.Instant
    ) async throws(DeviceSearchError) -> Device {
        let left = Self.left(until: deadline)
        do throws(DeviceSearchError) {
            return try await search.scan(within: min(left, Self.hearingMax))
        } catch {
            guard case .none = error, left > Self.hearingMax else { throw error }
            if let device = adapter.device(address) { return device }
            return try await search.scan(within: Self.left(until: deadline))
        }
    }

    /// Makes the daemon forget the device with its outdated services, whose handles it would
    /// otherwise use on every link. BlueZ 5.82 keeps the services if a link ends during service
    /// discovery. A bonded device is not removed, because its bond would be lost too.
    ///
    /// - Returns: whether the daemon has forgotten the device.
    private func forget() async -> Bool {
        guard let adapter = try? client.readyAdapter(adapterName, for: .central),
            let device = address.withLock({ $0 }).flatMap({ adapter.device($0) }),
            !device.isPaired
        else { return false }
        do throws(BlueZError) {
            try await adapter.remove(device)
            return true
        } catch {
            return false
        }
    }

    /// Returns the adapter to use. Before the first link, an adapter that is not ready causes an
    /// error with the reason. Later, the finder waits for it, for example while the daemon
    /// restarts.
    private func adapter(
        isKnown: Bool,
        until deadline: ContinuousClock.Instant
    ) async throws(BlueZError) -> Adapter {
        guard isKnown else { return try client.readyAdapter(adapterName, for: .central) }
        return try await client.readyAdapter(
            adapterName,
            for: .central,
            within: Self.left(until: deadline)
        )
    }

    private static func left(until deadline: ContinuousClock.Instant) -> Duration {
        max(ContinuousClock.now.duration(to: deadline), remainderMin)
    }

    /// Whether another attempt may succeed: the link failed, or the daemon has forgotten the
    /// device, as it does with devices that it has not heard for a while.
    private static func isWorthAnother(_ error: any Error) -> Bool {
        switch error {
        case DeviceSearchError.daemon(let error): error.isTransient
        case BlueZError.objectGone: true
        case let error as BlueZError: error.isTransient
        default: false
        }
    }

    /// Whether the device rejected a handle or reported that its services have changed.
    private static func isOutdated(_ error: any Error) -> Bool {
        guard case BlueZError.att(let error) = error else { return false }
        return error == .invalidHandle || error == .databaseOutOfSync
    }

    private static func transferError(_ error: DeviceSearchError) -> TransferError {
        if case .daemon(.cancelled) = error { return TransferError(.cancelled) }
        return TransferError(.cannotConnect(error.description))
    }
}
