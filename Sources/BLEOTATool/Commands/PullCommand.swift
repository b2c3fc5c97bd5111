import ArgumentParser
import BLEOTA
import BLEOTAWire
import SystemPackage

#if BlueZ
import BLEOTABlueZ
#endif

/// `bleota pull`: fetches an object that a receiver offers.
struct PullCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pull",
        abstract: "Fetch a file that a receiver offers.",
        usage: """
            bleota pull <name> --output <FILE> [--device <NAME>] [<options>]
            bleota pull <name> --output <FILE> --connect unix:PATH|serial:PATH[@BAUD]
            """,
        discussion: """
            Example:
              bleota pull log.bin --connect unix:/run/device.socket --output log.bin
            """
    )

    @Argument(help: "Name under which the receiver offers the file.")
    var name: String

    @Option(
        help: ArgumentHelp(
            "Fetch from this socket or serial line.",
            valueName: TargetArgument.valueName
        ),
        transform: TargetArgument.init(argument:)
    )
    var connect: TargetArgument?

    #if BlueZ
    @Option(
        help: ArgumentHelp(
            "Device, by name or address; by default the only one in range.",
            valueName: "NAME"
        )
    )
    var device: String?

    @OptionGroup var pairing: PairingOptions
    @OptionGroup var adapterOption: AdapterOption
    #endif

    @Option(help: ArgumentHelp("File to write.", valueName: "FILE"), completion: .file())
    var output: String

    @Option(
        help: ArgumentHelp(
            "ATT_MTU, 23 to 517; over Bluetooth as large as both ends support, else 247 by default.",
            valueName: "N"
        )
    )
    var mtu: Int?

    @Option(
        help: ArgumentHelp(
            """
            How many seconds to wait for a sign of life, for progress and for a new link; a device \
            that says it is busy has 600 at least.
            """,
            valueName: "S"
        )
    )
    var timeout: Int?

    @Option(
        help: ArgumentHelp(
            "Largest file to accept, in bytes, or with K, M or G; 256M by default.",
            valueName: "BYTES"
        ),
        transform: ByteCountArgument.init
    )
    var maxSize = ByteCountArgument.largestImage

    @OptionGroup var traceOption: TraceOption
    @OptionGroup(title: "Output") var outputOptions: OutputOptions

    func validate() throws {
        #if BlueZ
        if connect != nil, device != nil {
            throw ValidationError(
                "choose one target: --device or --connect \(TargetArgument.valueName)"
            )
        }
        if connect != nil, pairing.pair { throw ValidationError("--pair needs --device") }
        #else
        if connect == nil {
            throw ValidationError("choose a target: --connect \(TargetArgument.valueName)")
        }
        #endif
        if let mtu, !(23...517).contains(mtu) {
            throw ValidationError("an ATT_MTU must be 23 to 517, not \(mtu)")
        }
        if let timeout, !(1...3_600).contains(timeout) {
            throw ValidationError("--timeout must be 1 to 3600 seconds, not \(timeout)")
        }
    }

    func run() async throws {
        let reporter = Reporter(outputOptions)
        try await Command.run(reporter) {
            var options = PushOptions()
            if let timeout {
                options.silenceLimit = .seconds(timeout)
                options.progressLimit = .seconds(timeout) * 1.1
                options.reconnectionLimit = .seconds(timeout)
                options.connectionLimit = .seconds(timeout)
            }
            let trace = try traceOption.open(reporter)
            let file = try OutputFile(
                FilePath(argument: output),
                .receivedImage,
                inputs: traceOption.files,
                isForced: traceOption.isForced
            )
            let store = try FileStore(
                output: file.path,
                existingOutput: traceOption.isForced ? .replaced : .kept
            )
            if let connect {
                let connector = ToolConnector(
                    connect,
                    attMTU: mtu ?? 247,
                    timeout: options.silenceLimit,
                    reporter,
                    trace: trace
                )
                try await pull(through: connector, into: store, options, reporter)
            } else {
                #if BlueZ
                try await pullOverBluetooth(into: store, options, trace, reporter)
                #endif
            }
        }
    }

    private func pull(
        through connector: ToolConnector,
        into store: FileStore,
        _ options: PushOptions,
        _ reporter: Reporter
    ) async throws {
        var policy = AcceptancePolicy.anyDevice
        policy.imageByteCountMax = maxSize.byteCount
        do throws(TransferError) {
            let report = try await BLEOTA.pull(
                name,
                through: connector,
                into: store,
                policy: policy,
                options: options
            ) { event in
                if case .progress(let progress) = event { reporter.progress(progress) }
            }
            Conclusion(report, writeMode: nil).tell(reporter)
        } catch {
            if case .refused(.tooLarge, _) = error.problem {
                throw Failure(
                    ExitStatus(error),
                    "\(name) is larger than \(Units.grouped(maxSize.byteCount)) bytes; add "
                        + "--max-size to accept it"
                )
            }
            guard case .store(let failure) = error.problem, failure.errno == .fileExists else {
                throw error
            }
            throw Failure(
                .cannotCreate,
                "\(output) already has other content; choose another file, or add --force to "
                    + "replace it"
            )
        }
    }

    #if BlueZ
    private func pullOverBluetooth(
        into store: FileStore,
        _ options: PushOptions,
        _ trace: TraceFile?,
        _ reporter: Reporter
    ) async throws {
        let session = try await BluetoothSession(adapter: adapterOption.adapter)
        let agent = try await pairing.agent(session.client)
        defer { withExtendedLifetime(agent) {} }
        let target = device.map { DeviceTarget($0) } ?? .onlyOne
        let devices = DeviceConnector(
            session.client,
            adapter: adapterOption.adapter,
            to: target,
            attMTUMax: mtu ?? 517,
            within: options.reconnectionLimit,
            pairs: pairing.pair
        )
        let connector = ToolConnector(devices, to: "\(target)", reporter, trace: trace)
        do {
            try await pull(through: connector, into: store, options, reporter)
        } catch {
            await devices.awaitEnd()
            guard let failure = error as? TransferError else { throw error }
            throw pairing.explained(failure, devices)
        }
        await devices.awaitEnd()
    }
    #endif
}
