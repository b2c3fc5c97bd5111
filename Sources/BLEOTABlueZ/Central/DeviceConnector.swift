package import BLEOTA
import BLEOTACore
package import BlueZ
import Synchronization

/// Finds a device and connects to it, again and again where links are lost: also through a daemon
/// that was restarted, an adapter that was switched off and on, and a device that the daemon has
/// forgotten.
package final class DeviceConnector: Connector {
    /// Both controllers need a moment to let go of a link that was lost.
    private static let settlement = Duration.seconds(1)
    /// What is left of the time when it is as good as over: enough for one answer.
    private static let remainderMin = Duration.milliseconds(500)

    /// A device that advertises is heard within seconds; after this it is called unheard.
    private static let hearingMax = Duration.seconds(8)

    private let client: BlueZClient
    private let adapterName: String?
    private let target: DeviceTarget
    private let attMTUMax: Int
    private let limit: Duration
    private let pairs: Bool
    private let receives: Bool
    private let onSilentEnd: @Sendable () -> Void
    /// The device of the first link, by its address: the next is to the same.
    private let address = Mutex<BluetoothAddress?>(nil)
    private let link = Mutex<CentralTransport?>(nil)
    private let heard = Mutex(false)
    /// Whether the last link was.
    private let wasEndedByDevice = Mutex(false)
    private let version = Mutex<UInt8?>(nil)

    /// A connector to one device.
    ///
    /// - Parameters:
    ///   - adapter: the name or address of the adapter; the first that is on by default.
    ///   - attMTUMax: frames are made for no larger ATT_MTU than this, 23 to 517.
    ///   - limit: how long ``connect()`` may take for all that it does: to find the device, to
    ///     connect to it, and to try again where that fails; without pairing, which has a minute of
    ///     its own.
    ///   - pairs: whether to pair with a device that is not; a ``BlueZ/PairingAgent`` answers what
    ///     is asked then.
    ///   - receives: whether images are to come over its links, as for ``BLEOTA/pull``.
    ///   - onSilentEnd: called each time that the device has ended a link before it sent anything
    ///     over any, as one does that wants to be paired: before the next attempt.
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

    /// Whether the device has sent anything over any of the links.
    package var hasHeard: Bool {
        heard.withLock(\.self) || link.withLock { $0?.hasHeard ?? false }
    }

    /// The version of the protocol that the device says it speaks; `nil` before the first link.
    package var protocolVersion: UInt8? { version.withLock(\.self) }

    /// Makes a link: tries again until the time is over where the device drops the link while it is
    /// made, as is common over real radios.
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

    /// Waits until the last link is down, so that its device is free for others.
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

    /// A device that was lost is not called before it is heard again: an attempt that comes too
    /// early can keep the controller busy for long. But a daemon whose controller measures no RSSI
    /// tells nobody of a device that it hears and that has nothing new to say.
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

    /// Makes the daemon forget what it knows of the device's services, which have changed: it
    /// would use the old handles over every link. Release 5.82 keeps them where a link ends while
    /// it looks for the new ones. A device with a bond stays, since the bond would go as well.
    ///
    /// - Returns: whether it has forgotten them.
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

    /// At first an adapter that is not ready is an error that says why. Later it was ready, and is
    /// waited for: through a restart of the daemon, for one.
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
    /// device, as it does with those that it has not heard for a while.
    private static func isWorthAnother(_ error: any Error) -> Bool {
        switch error {
        case DeviceSearchError.daemon(let error): error.isTransient
        case BlueZError.objectGone: true
        case let error as BlueZError: error.isTransient
        default: false
        }
    }

    /// Whether the device has no such handle, or says that its services have changed.
    private static func isOutdated(_ error: any Error) -> Bool {
        guard case BlueZError.att(let error) = error else { return false }
        return error == .invalidHandle || error == .databaseOutOfSync
    }

    private static func transferError(_ error: DeviceSearchError) -> TransferError {
        if case .daemon(.cancelled) = error { return TransferError(.cancelled) }
        return TransferError(.cannotConnect(error.description))
    }
}
