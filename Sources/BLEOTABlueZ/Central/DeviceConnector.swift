package import BLEOTA
import BLEOTACore
package import BlueZ
import Synchronization

/// Finds a device and connects to it, repeatedly if links are lost. It also recovers if the
/// daemon restarts, the adapter is switched off and on, or the daemon forgets the device.
package final class DeviceConnector: Connector {
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
    private let attMTUMax: Int
    private let limit: Duration
    private let pairs: Bool
    private let receives: Bool
    private let onSilentEnd: @Sendable () -> Void
    /// The address of the first link's device; later links go to the same device.
    private let address = Mutex<BluetoothAddress?>(nil)
    private let link = Mutex<CentralTransport?>(nil)
    private let heard = Mutex(false)
    /// Whether the device ended the last link.
    private let wasEndedByDevice = Mutex(false)
    private let version = Mutex<UInt8?>(nil)

    /// Creates a connector to one device.
    ///
    /// - Parameters:
    ///   - adapter: the name or address of the adapter; the first powered adapter by default.
    ///   - attMTUMax: the largest ATT_MTU that frames are built for, 23 to 517.
    ///   - limit: the longest time that ``connect()`` may take to find the device, connect to it,
    ///     and retry after failures. Pairing is not included; it has its own limit of one minute.
    ///   - pairs: whether to pair with an unpaired device. If so, a ``BlueZ/PairingAgent`` must
    ///     be registered to answer pairing requests.
    ///   - receives: whether images are received over its links, as for ``BLEOTA/pull``.
    ///   - onSilentEnd: called before the next attempt whenever the device has ended a link
    ///     without ever having sent a frame over any link. A device that requires pairing behaves
    ///     like this.
    package init(
        _ client: BlueZClient,
        adapter: String? = nil,
        to target: DeviceTarget,
        attMTUMax: Int = 517,
        within limit: Duration = .seconds(30),
        pairs: Bool = false,
        receives: Bool = true,
        onSilentEnd: @escaping @Sendable () -> Void = {}
    ) {
        self.client = client
        adapterName = adapter
        self.target = target
        self.attMTUMax = attMTUMax
        self.limit = limit
        self.pairs = pairs
        self.receives = receives
        self.onSilentEnd = onSilentEnd
    }

    /// Whether the device has sent any frame over any of the links.
    package var hasHeard: Bool {
        heard.withLock(\.self) || link.withLock { $0?.hasHeard ?? false }
    }

    /// The protocol version that the device reports; `nil` before the first link.
    package var protocolVersion: UInt8? { version.withLock(\.self) }

    /// Opens a link. If the device drops the link during setup, as is common on real radios,
    /// further attempts follow until the time limit.
    package func connect() async throws(TransferError) -> any Transport {
        await awaitEnd()
        if wasEndedByDevice.withLock({ $0 }), !hasHeard { onSilentEnd() }
        do {
            let link = try await connected()
            self.link.withLock { $0 = link }
            version.withLock { $0 = link.protocolVersion }
            return link
        } catch let error as DeviceSearchError {
            throw Self.transferError(error)
        } catch let error as BlueZError {
            throw Self.transferError(.daemon(error))
        } catch is CancellationError {
            throw TransferError(.cancelled)
        } catch {
            throw TransferError(.cannotConnect("\(error)"))
        }
    }

    /// Waits until the last link is closed, so that its device is free for others.
    package func awaitEnd() async {
        let last = link.withLock { $0.take() }
        guard let last else { return }
        if last.hasHeard { heard.withLock { $0 = true } }
        wasEndedByDevice.withLock { $0 = last.closeReason == .remote }
        last.close(.local)
        await last.awaitEnd()
    }

    private func connected() async throws -> CentralTransport {
        var deadline = ContinuousClock.now + limit
        var hasForgotten = false
        while true {
            do {
                return try await attempt(until: &deadline)
            } catch {
                let isOutdated = !hasForgotten && Self.isOutdated(error)
                if isOutdated { hasForgotten = await forget() }
                guard Self.isWorthAnother(error) || isOutdated && hasForgotten,
                    ContinuousClock.now + Self.settlement + Self.remainderMin < deadline
                else { throw error }
                if case BlueZError.disconnected = error, !hasHeard { onSilentEnd() }
            }
        }
    }

    private func attempt(until deadline: inout ContinuousClock.Instant) async throws
        -> CentralTransport
    {
        let known = address.withLock { $0 }
        if known != nil { try await Task.sleep(for: Self.settlement) }
        let adapter = try await adapter(isKnown: known != nil, until: deadline)
        let search = DeviceSearch(for: known.map { .address($0) } ?? target, over: adapter)
        let device =
            if let known {
                try await heardAgain(known, search, adapter, until: deadline)
            } else {
                try await search.find(within: Self.left(until: deadline))
            }
        address.withLock { $0 = device.address ?? $0 }
        if pairs, !device.isPaired {
            let beganAt = ContinuousClock.now
            try await device.pair()
            deadline += beganAt.duration(to: .now)
        }
        return try await CentralTransport.connect(
            to: device,
            within: Self.left(until: deadline),
            attMTUMax: attMTUMax,
            receives: receives
        )
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

    /// Makes the daemon forget the device's outdated services, whose old handles it would use on
    /// every link. Release 5.82 keeps them if a link ends during service discovery. A bonded
    /// device is not removed, because its bond would be lost too.
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
    /// error with the reason. Later, the connector waits for it, for example while the daemon
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
    /// device, as it does with devices not heard for a while.
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
