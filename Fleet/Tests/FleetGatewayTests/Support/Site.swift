import BLEOTA
import FleetGateway
import FleetModel
import FleetSimulation
import FleetStore
import FleetTestSupport
import NATS

import struct Crypto.SHA256
import struct SystemPackage.FilePath

/// A server with a fleet, a folder of simulated devices, and an image.
final class Site: Sendable {
    let folder: TestFolder
    let server: TestServer
    let store: FleetStore
    /// The seed of all that is random here.
    let seed: UInt64

    init(seed: UInt64 = .random(in: .min ... .max)) async throws {
        print("seed \(seed)")
        self.seed = seed
        server = try await TestServer()
        folder = server.folder
        store = try await FleetStore.create(on: try await server.connect(), replicas: .one)
        // As a controller does when it first sees a gateway.
        for gateway in [Sample.east, Sample.west] {
            try await store.createOrderFeed(of: gateway)
        }
    }

    var devices: FilePath { FilePath(folder.path("")) }

    func storeFolder(of device: DeviceID) -> FilePath { FilePath(folder.path("\(device).store")) }

    // MARK: - Images

    /// Puts an image of random bytes on the shelf, and returns its digest and its hash.
    func addImage(
        byteCount: Int = 128 << 10,
        version: FirmwareVersion = Sample.new
    ) async throws -> (digest: Digest, sha256: [UInt8]) {
        var dice = Dice(seed: seed)
        var options = FirmwareOptions()
        options.version = version.description
        let firmware = try await Firmware(
            bytes: (0..<byteCount).map { _ in UInt8.random(in: .min ... .max, using: &dice) },
            name: "firmware.bin",
            options: options
        )
        let path = folder.path("firmware-\(version).bleota")
        try firmware.write(to: path)
        let bundle = TestFolder.read(path) ?? []
        let digest = Digest(Array(SHA256.hash(data: bundle)))!
        try await store.images.store(bundle, as: digest)
        return (digest, firmware.sha256)
    }

    // MARK: - Devices and gateways

    func device(
        _ id: DeviceID = Sample.device,
        bytesPerSecond: UInt32? = nil
    ) -> SimulatedDevice {
        var device = SimulatedDevice(
            id,
            factory: Advertisement(
                hardware: HardwareName("lamp")!,
                version: Sample.old,
                strength: Strength(dBm: -60)!
            ),
            folder: devices,
            storeFolder: storeFolder(of: id),
            faults: LinkFaults(
                loss: Share(basisPoints: 200)!,
                bytesPerSecond: bytesPerSecond,
                seed: seed
            )
        )
        device.restart = .milliseconds(100)
        return device
    }

    func cache(_ name: String = "cache") throws -> ImageCache {
        try ImageCache(
            folder: FilePath(folder.path(name)),
            byteCountMax: 16 << 20,
            source: store.images
        )
    }

    func gateway(
        _ id: GatewayID = Sample.east,
        _ log: Log<GatewayEvent>,
        pace: GatewayPace = GatewayPace()
    ) throws -> Gateway {
        Gateway(
            id,
            store: store,
            air: SocketAir(folder: devices),
            images: try cache("cache-\(id)"),
            program: Sample.new,
            pace: pace,
            tell: { log.add($0) }
        )
    }

    /// Starts a gateway as a process, which prints to ``log(of:)``.
    func gatewayProcess(_ id: GatewayID) throws -> ChildProcess {
        try toolProcess(
            id.text,
            [
                "gateway", "--name", id.text, "--cache", folder.path("cache-\(id)"),
                "--sockets", devices.string, "--server", server.address.description,
            ]
        )
    }

    /// Starts the tool, which prints events to ``log(of:)``.
    func toolProcess(_ name: String, _ words: [String]) throws -> ChildProcess {
        try ChildProcess(
            [Tool.path] + words + ["--json"],
            output: folder.path("\(name).log"),
            variables: Patience.variables
        )
    }

    /// The events that a process has printed.
    func log(of name: String) throws -> [PrintedEvent] {
        try PrintedEvent.parse(TestFolder.read(folder.path("\(name).log")) ?? [])
    }

    // MARK: - What a controller does

    /// Waits until a gateway has heard a device.
    func awaitSighting(
        _ device: DeviceID = Sample.device,
        at gateway: GatewayID = Sample.east,
        of version: FirmwareVersion = Sample.old
    ) async throws {
        let name = DeviceAtGateway(device, at: gateway)
        try await eventually("\(gateway) hears \(device) with \(version)") {
            try await self.present(self.store.sightings, name)?.version == version
        }
    }

    func order(
        _ order: Order,
        _ device: DeviceID = Sample.device,
        at gateway: GatewayID = Sample.east
    ) async throws {
        try await store.orders.put(DeviceAtGateway(device, at: gateway), order)
    }

    func withdraw(
        _ device: DeviceID = Sample.device,
        at gateway: GatewayID = Sample.east
    ) async throws {
        let name = DeviceAtGateway(device, at: gateway)
        try await store.orders.delete(name, after: try await store.orders.get(name).revision)
    }

    func report(
        _ device: DeviceID = Sample.device,
        at gateway: GatewayID = Sample.east
    ) async throws -> Report? {
        try await present(store.reports, DeviceAtGateway(device, at: gateway))
    }

    func awaitReport(
        _ report: Report,
        _ device: DeviceID = Sample.device,
        at gateway: GatewayID = Sample.east
    ) async throws {
        try await eventually("\(gateway) reports \(report.news)") {
            try await self.report(device, at: gateway) == report
        }
    }

    func present<Name, Value>(_ shelf: Shelf<Name, Value>, _ name: Name) async throws -> Value? {
        do { return try await shelf.get(name).value } catch {
            guard error == .nats(.notFound) else { throw error }
            return nil
        }
    }

    /// The hash of the image in a device's store, once the device has let it go.
    func storedImage(_ device: DeviceID = Sample.device) async throws -> [UInt8]? {
        var store: DirectoryStore?
        try await eventually("\(device) lets its store go") {
            do throws(StoreError) {
                store = try DirectoryStore(directory: storeFolder(of: device))
            } catch {
                guard error.code == .busy else { throw error }
            }
            return store != nil
        }
        return try await store?.current()?.sha256
    }
}
