#if BlueZ
import ArgumentParser
import BLEOTA
import BLEOTABlueZ
import BlueZ

/// `bleota scan`: lists the devices in range.
struct ScanCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scan",
        abstract: "List the Bluetooth devices in range.",
        usage: "bleota scan [<options>]",
        discussion: """
            Examples:
              bleota scan
              bleota scan --service 180d --duration 30
            """
    )

    @Option(
        help: ArgumentHelp(
            "Only devices that advertise this service; repeatable.",
            valueName: "UUID"
        )
    )
    var service: [String] = []

    @Option(help: ArgumentHelp("Only devices whose name starts with PREFIX.", valueName: "PREFIX"))
    var name: String?

    @Option(help: ArgumentHelp("Seconds to scan.", valueName: "S"))
    var duration = 10

    @Flag(help: "Print every advertisement, not only changes.")
    var duplicates = false

    @OptionGroup var adapterOption: AdapterOption
    @OptionGroup(title: "Output") var outputOptions: OutputOptions

    func validate() throws {
        guard (1...86_400).contains(duration) else {
            throw ValidationError("--duration must be 1 to 86400 seconds, not \(duration)")
        }
        _ = try filter()
    }

    private func filter() throws -> ScanFilter {
        let services = try service.map { text throws(ValidationError) in
            guard let uuid = BluetoothUUID(text) else {
                throw ValidationError(
                    "a UUID must be 4, 8 or 32 hexadecimal digits, not \(text)"
                )
            }
            return uuid
        }
        return ScanFilter(services: services, namePrefix: name, tellsDuplicates: duplicates)
    }

    func run() async throws {
        let reporter = Reporter(outputOptions)
        try await Command.run(reporter) { try await scan(reporter) }
    }

    private func scan(_ reporter: Reporter) async throws {
        let session = try await BluetoothSession(adapter: adapterOption.adapter)
        let table = DeviceTable(isLive: Terminal.isOutputInteractive && !outputOptions.json)
        defer { table.close() }
        let filter = try filter()
        let stream: AsyncStream<Discovery>
        do throws(BlueZError) {
            stream = try await session.adapter.scan(filter)
        } catch {
            throw Failure(error)
        }
        let duration = duration
        let isTimeOver = await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                for await found in stream {
                    reporter.event(found.line)
                    if !outputOptions.json { table.show(found) }
                }
                return false
            }
            group.addTask {
                try? await Task.sleep(for: .seconds(duration))
                return true
            }
            defer { group.cancelAll() }
            return await group.next() ?? true
        }
        if Task.isCancelled { throw TransferError(.cancelled) }
        if !isTimeOver { throw await whyItEnded(session) }
        if !outputOptions.json { table.end(afterSeconds: duration) }
    }
}

extension ScanCommand {
    /// The reason that a scan ended early: the daemon or the adapter is gone. It does not help if
    /// another adapter is on. An adapter that is being unplugged is first off, then resetting, then
    /// gone, so this function waits up to a second for the adapter to be on.
    private func whyItEnded(_ session: BluetoothSession) async -> Failure {
        do throws(BlueZError) {
            _ = try await session.client.readyAdapter(
                session.adapter.name,
                for: .central,
                within: .seconds(1)
            )
            return Failure(
                .interrupted,
                "The scan was cut short, but Bluetooth is available again; run the same command "
                    + "again."
            )
        } catch {
            return Failure(error)
        }
    }
}

extension Discovery {
    fileprivate var line: JSONLine {
        JSONLine(event: "device").adding("address", address.text).adding("name", name)
            .adding("rssi", rssi).adding("services", services.map(\.shortText))
            .adding(
                "manufacturerData",
                Dictionary(
                    uniqueKeysWithValues: manufacturerData.map { company, bytes in
                        (Self.hex(company), HexText.text(bytes))
                    }
                )
            )
            .adding(
                "serviceData",
                Dictionary(
                    uniqueKeysWithValues: serviceData.map { uuid, bytes in
                        (uuid.shortText, HexText.text(bytes))
                    }
                )
            )
            .adding("txPower", txPower)
            .adding("firmwareVersion", advertisedFirmware?.version)
            .adding("updateWanted", advertisedFirmware?.wantsUpdate ?? false)
            .adding("connected", isConnected).adding("bleota", runsBleota)
            .adding("protocols", Protocols.all().filter(speaks).map(\.name))
    }

    static func hex(_ company: UInt16) -> String {
        let digits = String(company, radix: 16)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }
}
#endif
