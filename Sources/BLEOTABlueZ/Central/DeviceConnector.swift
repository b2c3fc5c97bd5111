package import BLEOTA
package import BlueZ
import Synchronization

/// Establishes bleota's own links to a device.
package final class DeviceConnector: Connector {
    private let finder: DeviceFinder
    private let attMTUMax: Int
    private let receives: Bool
    private let allowsChannel: Bool
    private let onSilentEnd: @Sendable () -> Void
    private let link = Mutex<CentralTransport?>(nil)
    private let heard = Mutex(false)
    /// Whether the device ended the previous link.
    private let wasEndedByDevice = Mutex(false)
    private let version = Mutex<UInt8?>(nil)

    /// Creates a connector to a device that a finder finds.
    ///
    /// - Parameters:
    ///   - attMTUMax: the largest ATT_MTU that frames are built for, 23 to 517.
    ///   - receives: whether images are received over its links, as for ``BLEOTA/pull``.
    ///   - allowsChannel: whether to use an L2CAP channel if the device has one.
    ///   - onSilentEnd: called before the next attempt whenever the device has ended a link
    ///     without ever having sent a frame over any link. A device that requires pairing behaves
    ///     like this.
    package init(
        _ finder: DeviceFinder,
        attMTUMax: Int = 517,
        receives: Bool = true,
        allowsChannel: Bool = true,
        onSilentEnd: @escaping @Sendable () -> Void = {}
    ) {
        self.finder = finder
        self.attMTUMax = attMTUMax
        self.receives = receives
        self.allowsChannel = allowsChannel
        self.onSilentEnd = onSilentEnd
    }

    /// Creates a connector to one device. The parameters are those of ``DeviceFinder`` and of the
    /// other initializer.
    package convenience init(
        _ client: BlueZClient,
        adapter: String? = nil,
        to target: DeviceTarget,
        attMTUMax: Int = 517,
        within limit: Duration = .seconds(30),
        pairs: Bool = false,
        receives: Bool = true,
        allowsChannel: Bool = true,
        onSilentEnd: @escaping @Sendable () -> Void = {}
    ) {
        self.init(
            DeviceFinder(client, adapter: adapter, to: target, within: limit, pairs: pairs),
            attMTUMax: attMTUMax,
            receives: receives,
            allowsChannel: allowsChannel,
            onSilentEnd: onSilentEnd
        )
    }

    /// Whether the device has sent any frame over any of the links.
    package var hasHeard: Bool {
        heard.withLock(\.self) || link.withLock { $0?.hasHeard ?? false }
    }

    /// Whether the latest link is an L2CAP channel.
    package var usesChannel: Bool { link.withLock { $0?.usesChannel ?? false } }

    /// The address of the device, if the daemon has a bond with it.
    package var bondedAddress: BluetoothAddress? { finder.bondedAddress }

    /// The protocol version that the device reports; `nil` before the first link.
    package var protocolVersion: UInt8? { version.withLock(\.self) }

    /// Opens a link, as ``DeviceFinder/open(onDisconnection:_:)`` does.
    package func connect() async throws(TransferError) -> any Transport {
        await awaitEnd()
        if wasEndedByDevice.withLock({ $0 }), !hasHeard { onSilentEnd() }
        let link = try await finder.open(
            onDisconnection: { if !hasHeard { onSilentEnd() } },
            { device, limit in
                try await CentralTransport.connect(
                    to: device,
                    within: limit,
                    attMTUMax: attMTUMax,
                    receives: receives,
                    allowsChannel: allowsChannel
                )
            }
        )
        self.link.withLock { $0 = link }
        version.withLock { $0 = link.protocolVersion }
        return link
    }

    /// Closes the latest link and waits until it is down, so that its device is free for others.
    package func awaitEnd() async {
        let last = link.withLock { $0.take() }
        guard let last else { return }
        if last.hasHeard { heard.withLock { $0 = true } }
        wasEndedByDevice.withLock { $0 = last.closeReason == .remote }
        last.close(.local)
        await last.awaitEnd()
    }
}
