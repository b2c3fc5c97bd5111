import ArgumentParser
import BLEOTA
import BLEOTAWire
import SystemPackage

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

    @OptionGroup var receiver: ReceiverOptions

    @OptionGroup(title: "Transfer") var limits: TransferLimitOptions
    @OptionGroup(title: "Transfer") var transferOptions: PullTransferOptions
    @OptionGroup(title: "Output") var traceOption: TraceOption
    @OptionGroup(title: "Output") var outputOptions: OutputOptions

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
            try await receiver.reach(
                attMTU: limits.mtu,
                timeout: options.silenceLimit,
                searchLimit: options.reconnectionLimit,
                trace: trace,
                reporter
            ) { connector in
                try await pull(through: connector, into: store, options, reporter)
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
}
