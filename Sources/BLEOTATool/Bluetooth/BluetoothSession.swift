#if BlueZ
import BLEOTABlueZ
import BlueZ

/// The daemon, an adapter and a device for the duration of one command.
struct BluetoothSession {
    static let searchLimit = Duration.seconds(15)

    let client: BlueZClient
    let adapter: Adapter

    init(adapter name: String?, for role: AdapterRole = .central) async throws(Failure) {
        do throws(BlueZError) {
            client = try await BlueZClient.open(within: .seconds(2))
            adapter = try client.readyAdapter(name, for: role)
        } catch {
            throw Failure(error)
        }
    }

    /// Finds the device, connects to it, and passes it to a closure. Disconnects afterward, unless
    /// the device was already connected.
    func use(_ name: String, _ body: (Device) async throws -> Void) async throws {
        let search = DeviceSearch(for: DeviceTarget(name), over: adapter)
        var device: Device
        do throws(DeviceSearchError) {
            device = try await search.find(within: Self.searchLimit)
        } catch {
            throw Failure(error)
        }
        let isOurs = !device.isConnected
        do throws(BlueZError) {
            try await device.connect()
        } catch {
            guard case .objectGone = error else { throw Failure(error) }
            device = try await rediscovered(by: search)
        }
        do {
            try await body(device)
        } catch {
            if isOurs { await Self.disconnect(device) }
            throw error
        }
        if isOurs { await Self.disconnect(device) }
    }

    /// Disconnects in a new task, because a cancelled task could not do so after an interrupt.
    private static func disconnect(_ device: Device) async {
        await Task { try? await device.disconnect() }.value
    }

    /// Rediscovers a device that the daemon has forgotten.
    private func rediscovered(by search: DeviceSearch) async throws(Failure) -> Device {
        do {
            let device = try await search.scan(within: Self.searchLimit)
            try await device.connect()
            return device
        } catch let error as DeviceSearchError {
            throw Failure(error)
        } catch let error as BlueZError {
            throw Failure(error)
        } catch {
            throw Failure(.inputOutput, "\(error)")
        }
    }

    /// Returns the characteristic that an argument specifies: a UUID, or SERVICE/UUID if several
    /// services have that UUID.
    static func characteristic(
        _ argument: String,
        of device: Device
    ) throws(Failure) -> RemoteCharacteristic {
        let parts = argument.split(separator: "/").map(String.init)
        guard let name = parts.last, let uuid = BluetoothUUID(name), parts.count <= 2,
            parts.count == 1 || BluetoothUUID(parts[0]) != nil
        else {
            throw Failure(
                .usage,
                "\(argument) is not the UUID of a characteristic; give a UUID, such as 2a19, or "
                    + "SERVICE/UUID, such as 180f/2a19"
            )
        }
        let service = parts.count == 2 ? BluetoothUUID(parts[0]) : nil
        let found = device.services.filter { service == nil || $0.uuid == service }
            .flatMap(\.characteristics).filter { $0.uuid == uuid }
        guard let first = found.first else {
            throw Failure(
                .noTarget,
                "The device has no characteristic \(argument); use bleota inspect to list what the "
                    + "device has"
            )
        }
        guard found.count == 1 else {
            throw Failure(
                .usage,
                "The device has \(found.count) characteristics that match \(argument); add the "
                    + "service, as in 180f/2a19"
            )
        }
        return first
    }
}
#endif
