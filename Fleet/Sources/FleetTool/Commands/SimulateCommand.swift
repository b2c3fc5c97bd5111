import ArgumentParser
import FleetGateway
import FleetModel
import FleetSimulation
import Glibc
import SystemPackage

/// `bleota-fleet simulate`: devices behind sockets, in one process.
struct SimulateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Run devices behind sockets, for gateways with --sockets.",
        discussion: """
            Each device keeps its images in a folder of its own, over a link that loses packets, \
            and restarts into each image. The devices are there again when the command is run \
            again.

            Example:
              bleota-fleet simulate --folder devices --devices 60 --loss 2
            """
    )

    @Option(
        help: ArgumentHelp(
            "Folder for sockets and stores, which is made if need be.",
            valueName: "FOLDER"
        ),
        completion: .directory
    )
    var folder: String

    @Option(help: ArgumentHelp("Devices, 1 to 250.", valueName: "COUNT"))
    var devices = 60

    @Option(
        help: ArgumentHelp("Hardware of the devices.", valueName: "NAME"),
        transform: Values.hardware
    )
    var hardware: HardwareName = HardwareName("lamp")!

    @Option(
        help: ArgumentHelp("Version that they left the factory with.", valueName: "VERSION"),
        transform: Self.version
    )
    var version = FirmwareVersion(1, 0, 0)

    @Option(help: ArgumentHelp("Data frames that are lost, in percent.", valueName: "PERCENT"))
    var loss = 2

    @Option(help: ArgumentHelp("Bytes per second of each link.", valueName: "BYTES"))
    var rate: UInt32 = 100_000

    @Option(help: ArgumentHelp("Seed of the losses.", valueName: "SEED"))
    var seed: UInt64 = 1

    @Option(
        help: ArgumentHelp(
            "Version that devices refuse, as one for other hardware; repeat it.",
            valueName: "VERSION"
        ),
        transform: Self.version
    )
    var refuse: [FirmwareVersion] = []

    @Option(
        help: ArgumentHelp(
            "Version that doesn't start: devices take it, go back, and say so; repeat it.",
            valueName: "VERSION"
        ),
        transform: Self.version
    )
    var broken: [FirmwareVersion] = []

    @Option(
        help: ArgumentHelp(
            "Devices that --refuse and --broken are for, the first of all; all by default.",
            valueName: "COUNT"
        )
    )
    var affected: Int?

    @Option(
        help: ArgumentHelp(
            "Folder for keys with which devices sign receipts, and for the list of them that "
                + "devices enroll takes; both are made if need be.",
            valueName: "FOLDER"
        ),
        completion: .directory
    )
    var keys: String?

    @Flag(help: "Print each event as a line of JSON.")
    var json = false

    func validate() throws {
        // A thread, three sockets and a store with some files each, of 1,024 files that a process
        // may usually open.
        guard (1...250).contains(devices) else {
            throw ValidationError("there are 1 to 250 devices, not \(devices)")
        }
        guard (0...90).contains(loss) else {
            throw ValidationError("a loss is 0 to 90 percent, not \(loss)")
        }
        guard (0...devices).contains(affected ?? devices) else {
            throw ValidationError("0 to \(devices) devices can be affected, not \(affected ?? 0)")
        }
        guard rate >= 1_000 else {
            throw ValidationError("a link carries at least 1000 bytes per second, not \(rate)")
        }
    }

    func run() async throws {
        try await Command.run(isService: true) { () async throws(ToolFailure) in
            let place = FilePath(folder)
            let stores = place.appending("stores")
            for folder in [place, stores] where mkdir(folder.string, 0o755) != 0 && errno != EEXIST
            {
                throw ToolFailure(
                    .inputOutput,
                    "the folder \(folder) can't be made: \(Errno(rawValue: errno))"
                )
            }
            let simulated = try simulatedDevices(in: place, stores)
            let display = SimulationDisplay(isJSON: json)
            let failure = await withTaskGroup(of: SimulationError?.self) { group in
                for device in simulated {
                    group.addTask {
                        do throws(SimulationError) {
                            try await device.run { display.show($0, of: device.id) }
                            return nil
                        } catch {
                            return error
                        }
                    }
                }
                let first = await group.next() ?? nil
                group.cancelAll()
                return first
            }
            if let failure { throw ToolFailure(.inputOutput, failure.description) }
        }
    }

    private func simulatedDevices(
        in folder: FilePath,
        _ stores: FilePath
    ) throws(ToolFailure) -> [SimulatedDevice] {
        var simulated = (0..<devices).map { device($0, in: folder, stores) }
        guard let keys else { return simulated }
        do throws(SimulationError) {
            let keys = try DeviceKeys(in: FilePath(keys))
            for index in simulated.indices {
                simulated[index].key = try keys.key(of: simulated[index].id)
            }
            try keys.list(simulated.map(\.id))
        } catch {
            throw ToolFailure(.inputOutput, error.description)
        }
        return simulated
    }

    private func device(
        _ number: Int,
        in folder: FilePath,
        _ stores: FilePath
    ) -> SimulatedDevice {
        let digits = "\(number + 1)"
        let id = DeviceID("device-" + String(repeating: "0", count: 3 - digits.count) + digits)!
        var device = SimulatedDevice(
            id,
            factory: Advertisement(
                hardware: hardware,
                // Between a strong and a weak radio, the same in each run.
                version: version,
                strength: Strength(dBm: -40 - number % 50)!
            ),
            folder: folder,
            storeFolder: stores.appending(id.text),
            faults: LinkFaults(
                loss: Share(basisPoints: UInt16(loss * 100))!,
                bytesPerSecond: rate,
                seed: seed &+ UInt64(number)
            )
        )
        if number < affected ?? devices {
            device.temper.refuses = Set(refuse)
            device.temper.failsToStart = Set(broken)
        }
        return device
    }

    private static func version(_ text: String) throws -> FirmwareVersion {
        guard let version = FirmwareVersion(advertised: text) else {
            throw ValidationError("a version is three numbers such as 1.2.0, not '\(text)'")
        }
        return version
    }
}
