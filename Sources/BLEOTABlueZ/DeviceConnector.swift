public import BLEOTA
public import BlueZ
import Synchronization

/// Finds a device and connects to it, again and again where links are lost: also through a daemon
/// that was restarted, an adapter that was switched off and on, and a device that the daemon has
/// forgotten.
public final class DeviceConnector: Connector {
    /// Both controllers need a moment to let go of a link that was lost.
    private static let settlement = Duration.seconds(1)

    private let client: BlueZClient
    private let adapterName: String?
    private let target: DeviceTarget
    private let attMTUMax: Int
    private let limit: Duration
    private let pairs: Bool
    /// The device of the first link, by its address: the next is to the same.
    private let address = Mutex<BluetoothAddress?>(nil)
    private let link = Mutex<CentralTransport?>(nil)

    /// A connector to one device.
    ///
    /// - Parameters:
    ///   - adapter: the name or address of the adapter; the first that is on by default.
    ///   - attMTUMax: frames are made for no larger ATT_MTU than this, 23 to 517.
    ///   - limit: how long one attempt may take, without pairing, which has a minute of its own.
    ///   - pairs: whether to pair with a device that is not; a ``BlueZ/PairingAgent`` answers what
    ///     is asked then.
    public init(
        _ client: BlueZClient,
        adapter: String? = nil,
        to target: DeviceTarget,
        attMTUMax: Int = 517,
        within limit: Duration = .seconds(30),
        pairs: Bool = false
    ) {
        self.client = client
        adapterName = adapter
        self.target = target
        self.attMTUMax = attMTUMax
        self.limit = limit
        self.pairs = pairs
    }

    /// Makes a link.
    public func connect() async throws(TransferError) -> any Transport {
        await awaitEnd()
        do {
            let link = try await connected()
            self.link.withLock { $0 = link }
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
    public func awaitEnd() async {
        let last = link.withLock { $0.take() }
        last?.close(.local)
        await last?.awaitEnd()
    }

    private func connected() async throws -> CentralTransport {
        let known = address.withLock { $0 }
        if known != nil { try await Task.sleep(for: Self.settlement) }
        let adapter = try client.readyAdapter(adapterName, for: .central)
        let search = DeviceSearch(for: known.map { .address($0) } ?? target, over: adapter)
        // A device that was lost is not called before it is heard again: an attempt that comes too
        // early can keep the controller busy for long.
        let device =
            known == nil
            ? try await search.find(within: limit) : try await search.scan(within: limit)
        address.withLock { $0 = device.address ?? $0 }
        do throws(BlueZError) {
            return try await connect(to: device)
        } catch {
            guard case .objectGone = error, !device.isKnown else { throw error }
            // The daemon forgets devices that it has not heard for a while.
            return try await connect(to: search.scan(within: limit))
        }
    }

    private func connect(to device: Device) async throws(BlueZError) -> CentralTransport {
        if pairs, !device.isPaired { try await device.pair() }
        return try await CentralTransport.connect(to: device, within: limit, attMTUMax: attMTUMax)
    }

    private static func transferError(_ error: DeviceSearchError) -> TransferError {
        if case .daemon(.cancelled) = error { return TransferError(.cancelled) }
        return TransferError(.cannotConnect(error.description))
    }
}
