import ArgumentParser
import FleetGateway
import FleetMetrics
import FleetModel
import FleetSetup
import FleetStore
import SystemPackage

/// `bleota-fleet gateway`: hears devices, and pushes to them.
struct GatewayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gateway",
        abstract: "Hear devices, and push to them what the fleet's controller orders.",
        discussion: """
            SIGTERM and SIGINT give the devices back and end the gateway. What a device has stored \
            stays there, and the next gateway goes on from it.

            Examples:
              bleota-fleet gateway --name hall-1 --cache /var/cache/bleota-fleet \\
                --hardware kitchen-=acme/lamp --hardware meter-=acme/meter@cellar
              bleota-fleet gateway --name test --cache cache --sockets devices
            """
    )

    @Option(
        help: ArgumentHelp("Name of this gateway, which no other has.", valueName: "NAME"),
        transform: Self.name
    )
    var name: GatewayID

    @Option(
        help: ArgumentHelp("Folder for images, which is made if need be.", valueName: "FOLDER"),
        completion: .directory
    )
    var cache: String

    @Option(
        help: ArgumentHelp("Limit of that folder, in MiB; 1024 by default.", valueName: "COUNT"),
        transform: Self.mebibytes
    )
    var cacheLimit: UInt64 = 1_024 << 20

    @Option(
        help: ArgumentHelp(
            "Devices to update at once, 1 to 64.",
            discussion: "The default is what the adapter usually manages.",
            valueName: "COUNT"
        ),
        transform: Self.places
    )
    var places: UInt8?

    @Flag(help: "Print each event as a line of JSON.")
    var json = false

    @OptionGroup(title: "Devices") var adapter: AdapterOptions
    @OptionGroup(title: "Server") var server: ServerOptions
    @OptionGroup(title: "Metrics") var metrics: MetricsOptions
    @OptionGroup var pace: PaceOptions

    func run() async throws {
        try await Command.run(isService: true, on: server) { () async throws(ToolFailure) in
            let store = try await server.openStore(
                of: name,
                as: "bleota-fleet-gateway-\(name)",
                seedLimit: pace.gatewayPace.seedLimit.duration
            )
            let images: ImageCache
            do throws(ImageCacheError) {
                images = try ImageCache(
                    folder: FilePath(cache),
                    byteCountMax: cacheLimit,
                    source: store.images
                )
            } catch {
                throw ToolFailure(error)
            }
            let air = try adapter.air(pace.gatewayPace)
            let counting = GatewayMetrics(MetricsRegistry())
            try await metrics.serving(counting.registry, isJSON: json) {
                () async throws(ToolFailure) in
                try await work(store, images, over: air, counting)
            }
        }
    }

    private func work(
        _ store: FleetStore,
        _ images: ImageCache,
        over air: any Air,
        _ metrics: GatewayMetrics
    ) async throws(ToolFailure) {
        let display = GatewayDisplay(isJSON: json)
        let gateway = Gateway(
            name,
            store: store,
            air: air,
            images: images,
            places: places,
            program: BleotaFleet.version,
            pace: pace.gatewayPace,
            tell: { event in
                metrics.count(event)
                display.show(event)
            }
        )
        do throws(GatewayError) { try await gateway.run() } catch {
            switch error {
            case .engine(let error): throw ToolFailure(error, as: .gateway(name))
            case .air(let error): throw ToolFailure(.unavailable, error.description)
            case .nameTaken: throw ToolFailure(.usage, error.description)
            }
        }
    }

    static func name(_ text: String) throws -> GatewayID {
        guard let name = GatewayID(text) else {
            throw ValidationError(
                "a name is 1 to 64 letters, digits, '_' and '-', not '\(text)'"
            )
        }
        return name
    }

    private static func mebibytes(_ text: String) throws -> UInt64 {
        // 16 TiB, as large as a file system of ext4 has files.
        guard let count = UInt64(text), (1...(1 << 24)).contains(count) else {
            throw ValidationError("a limit is 1 to 16777216 MiB, not '\(text)'")
        }
        return count << 20
    }

    private static func places(_ text: String) throws -> UInt8 {
        guard let count = UInt8(text), (1...GatewayStatus.placesMax).contains(count) else {
            throw ValidationError(
                "there are 1 to \(GatewayStatus.placesMax) places, not '\(text)'"
            )
        }
        return count
    }
}

extension ToolFailure {
    init(_ error: ImageCacheError) {
        let status: ExitStatus =
            switch error {
            case .disk(_, .permissionDenied), .disk(_, .notPermitted),
                .disk(_, .readOnlyFileSystem):
                .noPermission
            case .disk, .noRoom: .inputOutput
            case .inUse: .temporary
            case .wrongBytes, .store, .unusable: .badData
            case .stopped: .interrupted
            }
        guard case .inUse = error else {
            self.init(status, error.description)
            return
        }
        self.init(
            status,
            "\(error); if that is another gateway, give this one a folder of its own with --cache"
        )
    }
}
