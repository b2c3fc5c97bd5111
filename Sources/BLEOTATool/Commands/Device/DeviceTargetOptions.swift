import ArgumentParser
import BLEOTA
import BLEOTASMP

#if BlueZ
import BLEOTABlueZ
import BlueZ
#endif

/// The device of `bleota device`, and how long to wait for it.
struct DeviceTargetOptions: ParsableArguments {
    #if BlueZ
    @Option(help: ArgumentHelp("Bluetooth device, by name or address.", valueName: "NAME"))
    var device: String?

    @OptionGroup var adapterOption: AdapterOption
    #endif

    @Option(
        help: ArgumentHelp("Device to reach over UDP or a serial line.", valueName: "TARGET"),
        completion: TargetCompletion.smp,
        transform: { text throws(ValidationError) in
            guard let target = try SMPTargetArgument(text) else {
                throw ValidationError(
                    "an SMP target must be smp+udp:HOST[:PORT], smp+serial:PATH[@BAUD] or "
                        + "smp+raw:PATH[@BAUD], not \(text)"
                )
            }
            return target
        }
    )
    var connect: SMPTargetArgument?

    @Option(help: ArgumentHelp("Seconds to wait for a response.", valueName: "S"))
    var timeout = 10

    @OptionGroup(title: "Output") var outputOptions: OutputOptions

    func validate() throws {
        #if BlueZ
        if device != nil, connect != nil {
            throw ValidationError("--device and --connect exclude each other; choose one")
        }
        #else
        if connect == nil { throw ValidationError("choose a device: --connect TARGET") }
        #endif
        if !(1...3_600).contains(timeout) {
            throw ValidationError("--timeout must be 1 to 3600 seconds, not \(timeout)")
        }
    }

    /// Connects to the device, and passes it to a closure.
    func use(
        _ body: @escaping @Sendable (SMPClient, Reporter) async throws -> Void
    ) async throws {
        let reporter = Reporter(outputOptions)
        try await Command.run(reporter) {
            let connector = try await connector()
            do {
                let link = try await connector.connect()
                defer { link.close(.local) }
                try await body(SMPClient(link, limit: .seconds(timeout)), reporter)
            } catch {
                await connector.awaitEnd()
                throw error
            }
            await connector.awaitEnd()
        }
    }

    private func connector() async throws -> any SMPConnector {
        if let connect { return connect.connector }
        #if BlueZ
        let session = try await BluetoothSession(adapter: adapterOption.adapter)
        let target = device.map { DeviceTarget($0) } ?? .onlyOne
        return GATTConnector(
            BluetoothDevice(
                session.client,
                adapter: adapterOption.adapter,
                to: target,
                services: SMPProtocol().services.compactMap { BluetoothUUID($0) },
                within: .seconds(timeout) + BluetoothSession.searchLimit
            )
        )
        #else
        preconditionFailure("validation requires --connect")
        #endif
    }
}
