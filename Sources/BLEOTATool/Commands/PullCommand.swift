import ArgumentParser
import BLEOTA
import BLEOTAWire
import SystemPackage

#if BlueZ
import BLEOTABlueZ
#endif

/// `bleota pull`: fetches a file that a receiver offers.
struct PullCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pull",
        abstract: "Fetch a file that a receiver offers.",
        usage: usage,
        discussion: """
            Example:
              bleota pull log.bin --connect unix:/run/device.socket --output log.bin
            """
    )

    #if BlueZ
    private static let usage = """
        bleota pull <name> --output <FILE> [--device <NAME>] [<options>]
        bleota pull <name> --output <FILE> --connect \(TargetArgument.usage)
                    [<options>]
        """
    #else
    private static let usage = """
        bleota pull <name> --output <FILE> --connect \(TargetArgument.usage)
                    [<options>]
        """
    #endif

    @Argument(help: "Name under which the receiver offers the file.")
    var name: String

    @Option(help: ArgumentHelp("File to write.", valueName: "FILE"), completion: .file())
    var output: String

    #if BlueZ
    @Option(
        help: ArgumentHelp(
            "Device, by name or address; by default the only one in range.",
            valueName: "NAME"
        )
    )
    var device: String?
    #endif

    @Option(
        help: ArgumentHelp(
            "Receiver to reach over a socket or a serial line.",
            valueName: "TARGET"
        ),
        completion: TargetCompletion.own,
        transform: TargetArgument.init(argument:)
    )
    var connect: TargetArgument?

    #if BlueZ
    @OptionGroup(title: "Bluetooth") var l2cap: L2CAPOption
    @OptionGroup(title: "Bluetooth") var pairing: PairingOptions
    @OptionGroup(title: "Bluetooth") var adapterOption: AdapterOption
    #endif

    @OptionGroup(title: "Transfer") var limits: TransferLimitOptions
    @OptionGroup(title: "Transfer") var transferOptions: PullTransferOptions
    @OptionGroup(title: "Output") var traceOption: TraceOption
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
    }

    func run() async throws {
        let reporter = Reporter(outputOptions)
        try await Command.run(reporter) {
            var options = PushOptions()
            limits.apply(to: &options)
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
                    attMTU: limits.mtu ?? 247,
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
        policy.imageByteCountMax = transferOptions.maxSize.byteCount
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
                let limit = Units.grouped(transferOptions.maxSize.byteCount)
                throw Failure(
                    ExitStatus(error),
                    "\(name) is larger than \(limit) bytes; add --max-size to accept it"
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
            attMTUMax: limits.mtu ?? 517,
            within: options.reconnectionLimit,
            pairs: pairing.pair,
            allowsChannel: !l2cap.noL2cap
        )
        let connector = ToolConnector(devices, to: "\(target)", reporter, trace: trace)
        do {
            try await pull(through: connector, into: store, options, reporter)
        } catch {
            await devices.awaitEnd()
            guard let failure = error as? TransferError else { throw error }
            throw pairing.explained(
                failure,
                hasHeard: devices.hasHeard,
                bondedAddress: devices.bondedAddress,
                version: devices.protocolVersion
            )
        }
        await devices.awaitEnd()
    }
    #endif
}
