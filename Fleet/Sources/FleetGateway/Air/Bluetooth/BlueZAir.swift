package import BLEOTA
import BLEOTABlueZ
import BlueZ
package import FleetModel

/// The devices that a Bluetooth adapter hears.
///
/// A device is known by its address, without the colons. Its version is in the service data that it
/// advertises (spec/bleota.md, section 10.3); a device that advertises none is asked. Its hardware
/// and its group follow from its name, because it doesn't advertise them.
package struct BlueZAir: Air {
    /// The service of a receiver (spec/registry.md).
    private static let service = BluetoothUUID("7a3d0001-5c1e-4f0b-9b6a-e2c49d0f2d11")!
    /// How long a connection may take to be made.
    private static let connectionLimit = Duration.seconds(30)

    /// Controllers share the time of their one radio among links. Most keep seven, of which a
    /// few others in the neighbourhood may be in use.
    package let usualPlaces: UInt8 = 4

    private let adapter: String?
    private let rules: [NameRule]
    private let desk = VersionDesk(service: service)

    /// - Parameter adapter: the name or the address of the adapter; `nil` for the first that is on.
    package init(adapter: String?, rules: [NameRule]) {
        self.adapter = adapter
        self.rules = rules
    }

    package func listen(
        _ heard: @escaping @Sendable (HeardDevice) async -> Void,
        leftOut: @escaping @Sendable (String) async -> Void
    ) async throws(AirError) {
        // Each scan begins with a new connection: the daemon may have restarted.
        let stream: AsyncStream<Discovery>
        let client: BlueZClient
        do throws(BlueZError) {
            client = try await BlueZClient.open()
            let adapter = try client.readyAdapter(adapter, for: .central)
            stream = try await adapter.scan(
                ScanFilter(services: [Self.service], tellsDuplicates: true)
            )
        } catch {
            throw AirError(error)
        }
        defer { client.close() }
        await withTaskGroup { group in
            group.addTask { await desk.work() }
            for await discovery in stream {
                if let device = await device(discovery) { await heard(device) }
            }
            group.cancelAll()
        }
        if !Task.isCancelled { throw AirError("the adapter was switched off, or is gone") }
    }

    package func push(
        _ image: Firmware,
        to device: DeviceID,
        progress: @escaping @Sendable (PushProgress) async -> Void
    ) async throws(PushError) {
        let target = try target(device)
        try await undisturbed(device) { () async throws(PushError) in
            try await LibraryPush.run(image, to: target, GatewayPace(), progress: progress)
        }
    }

    package func receipt(
        of device: DeviceID,
        _ nonce: Nonce
    ) async throws(PushError) -> DeviceReceipt? {
        let target = try target(device)
        return try await undisturbed(device) { () async throws(PushError) in
            try await LibraryPush.receipt(from: target, nonce)
        }
    }

    private func target(_ device: DeviceID) throws(PushError) -> Target {
        guard let address = Self.address(of: device) else {
            throw .failed(Failure(.unreachable, "\(device) is no Bluetooth address"))
        }
        return Target.bluetooth(named: address, adapter: adapter, within: Self.connectionLimit)
    }

    /// Does something with a device while nobody asks it for its version.
    private func undisturbed<Answer: Sendable>(
        _ device: DeviceID,
        _ body: () async throws(PushError) -> Answer
    ) async throws(PushError) -> Answer {
        await desk.beginPush(device)
        let result: Result<Answer, PushError>
        do throws(PushError) { result = .success(try await body()) } catch {
            result = .failure(error)
        }
        await desk.endPush(device)
        return try result.get()
    }

    /// What a discovery says of one of our devices; `nil` if it says too little, or is of another.
    private func device(_ discovery: Discovery) async -> HeardDevice? {
        guard discovery.tells(of: Self.service), let name = discovery.name,
            let rule = NameRule.rule(for: name, among: rules),
            let strength = discovery.rssi.flatMap({ Strength(measured: $0) }),
            let id = Self.id(of: discovery.address.text)
        else { return nil }
        let advertised = discovery.advertisedFirmware?.version
            .flatMap { FirmwareVersion(advertised: $0) }
        guard
            let version = await desk.version(of: id, discovery.device, advertising: advertised)
        else { return nil }
        return HeardDevice(
            id: id,
            hardware: rule.hardware,
            group: rule.group,
            version: version,
            strength: strength
        )
    }

    /// `B8:27:EB:12:34:56` is the device `B827EB123456`.
    package static func id(of address: String) -> DeviceID? {
        DeviceID(String(address.filter { $0 != ":" }).uppercased())
    }

    /// The address of a device; `nil` if its name isn't one.
    package static func address(of device: DeviceID) -> String? {
        let digits = Array(device.text)
        guard digits.count == 12, digits.allSatisfy({ $0.isASCII && $0.isHexDigit }) else {
            return nil
        }
        return stride(from: 0, to: 12, by: 2).map { String(digits[$0...$0 + 1]) }
            .joined(separator: ":")
    }
}

extension AirError {
    fileprivate init(_ error: BlueZError) {
        switch error {
        case .noAdapter, .adapterUnsupported, .permissionDenied:
            self.init(error.description, isPermanent: true)
        default: self.init(error.description)
        }
    }
}
