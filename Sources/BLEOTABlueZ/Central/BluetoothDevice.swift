package import BLEOTA
package import BlueZ
import Synchronization

/// A device reached through BlueZ, whatever protocols it speaks.
package final class BluetoothDevice: UpdateDevice, GATTDevice {
    private let client: BlueZClient
    private let adapterName: String?
    private let attMTUMax: Int
    private let limit: Duration
    private let finder: DeviceFinder
    /// Finds the form of the device that was last connected.
    private let currentFinder: Mutex<DeviceFinder>
    private let devices: DeviceConnector
    private let last = Mutex<BlueZConnection?>(nil)
    package let description: String

    /// - Parameters:
    ///   - services: the services by which ``DeviceTarget/onlyOne`` recognizes a device.
    ///   - limit: the longest time for one attempt to find the device and to connect to it.
    ///   - allowsChannel: whether bleota's own protocol may use an L2CAP channel.
    ///   - onSilentEnd: see ``DeviceConnector``.
    package init(
        _ client: BlueZClient,
        adapter: String? = nil,
        to target: DeviceTarget,
        services: [BluetoothUUID],
        attMTUMax: Int = 517,
        within limit: Duration = .seconds(30),
        pairs: Bool = false,
        allowsChannel: Bool = true,
        onSilentEnd: @escaping @Sendable () -> Void = {}
    ) {
        self.client = client
        adapterName = adapter
        self.attMTUMax = attMTUMax
        self.limit = limit
        description = "\(target)"
        finder = DeviceFinder(
            client,
            adapter: adapter,
            to: target,
            services: services,
            within: limit,
            pairs: pairs
        )
        currentFinder = Mutex(finder)
        devices = DeviceConnector(
            finder,
            attMTUMax: attMTUMax,
            receives: false,
            allowsChannel: allowsChannel,
            onSilentEnd: onSilentEnd
        )
    }

    package var connector: any Connector { devices }
    package var gatt: any GATTDevice { self }

    /// Whether the device has sent any frame of bleota's own protocol.
    package var hasHeard: Bool { devices.hasHeard }
    /// Whether the latest link of bleota's own protocol is an L2CAP channel.
    package var usesChannel: Bool { devices.usesChannel }
    /// The address of the device, if the daemon has a bond with it.
    package var bondedAddress: BluetoothAddress? { finder.bondedAddress }
    /// The version of bleota's own protocol that the device reports.
    package var protocolVersion: UInt8? { devices.protocolVersion }

    /// Connects to the device and returns its services, as 128-bit UUIDs in lower case. The device
    /// stays connected for the push that follows; if no push follows, call ``release()``.
    package func discoverServices() async throws(TransferError) -> Set<String> {
        try await finder.open { device, limit in
            try await device.connect(within: limit)
            return Set(device.services.compactMap { $0.uuid?.text })
        }
    }

    /// Disconnects the device. Call this if no push follows ``discoverServices()``.
    package func release() async {
        let adapter = try? client.readyAdapter(adapterName, for: .central)
        guard let device = finder.foundAddress.flatMap({ adapter?.device($0) }) else { return }
        try? await device.disconnect()
    }

    // MARK: - GATT

    package func connect(
        to form: GATTDeviceForm
    ) async throws(TransferError) -> any GATTConnection {
        await awaitEnd()
        let finder = finder(of: form)
        let connection = try await finder.open { device, limit in
            try await BlueZConnection.open(device, within: limit, attMTUMax: attMTUMax)
        }
        currentFinder.withLock { $0 = finder }
        last.withLock { $0 = connection }
        return connection
    }

    private func finder(of form: GATTDeviceForm) -> DeviceFinder {
        switch form {
        case .current: return currentFinder.withLock { $0 }
        case .application: return finder
        case .bootloader(let services):
            guard let address = finder.foundAddress else { return finder }
            return DeviceFinder(
                client,
                adapter: adapterName,
                to: .successor(of: address),
                services: services.compactMap { BluetoothUUID($0) },
                within: limit
            )
        }
    }

    package func awaitEnd() async {
        await devices.awaitEnd()
        guard let connection = last.withLock({ $0.take() }) else { return }
        connection.close(.local)
        await connection.awaitEnd()
    }
}
