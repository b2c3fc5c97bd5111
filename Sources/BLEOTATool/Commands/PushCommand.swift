import ArgumentParser
import BLEOTA
import BLEOTACore
import BLEOTASMP
import Synchronization
import SystemPackage

/// `bleota push`: sends an image, and exits once the receiver has verified it.
struct PushCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "push",
        abstract: "Send an image, and wait until it is verified.",
        usage: usage,
        discussion: """
            The image may be a raw binary, an Intel HEX file, an MCUboot image, or a bundle made \
            by bleota sign. \(destination)

            Examples:
            \(examples)
            """
    )

    @Argument(help: "Image or bundle to send.", completion: .file())
    var image: String

    /// Arguments after the image, which are errors.
    @Argument(help: .hidden)
    var excess: [String] = []

    #if BlueZ
    @Option(help: ArgumentHelp("Device, by name or address; repeatable.", valueName: "NAME"))
    var device: [String] = []
    #endif

    @Option(
        help: ArgumentHelp(
            "Device to reach over a socket, a serial line or UDP.",
            valueName: "TARGET"
        ),
        completion: TargetCompletion.all,
        transform: PushTargetArgument.init(argument:)
    )
    var connect: PushTargetArgument?

    @Flag(help: "To try bleota, send to a receiver in this process.")
    var loopback = false

    @Option(
        help: ArgumentHelp("With --loopback, file for the received image.", valueName: "FILE"),
        completion: .file()
    )
    var output: String?

    @Flag(help: "Wait until the device confirms the image.")
    var waitConfirmed = false

    #if BlueZ
    @OptionGroup(title: "Bluetooth") var bluetooth: PushBluetoothOptions
    #endif

    @OptionGroup(title: "Update") var activation: ActivationOptions
    @OptionGroup(title: "Image") var imageOptions: ImageOptions
    @OptionGroup(title: "Image") var compression: CompressionOption
    @OptionGroup(title: "Transfer") var limits: TransferLimitOptions
    @OptionGroup(title: "Transfer") var transferOptions: PushTransferOptions
    @OptionGroup(title: "Faults") var faults: FaultOptions
    @OptionGroup(title: "Output") var traceOption: TraceOption
    @OptionGroup(title: "Output") var outputOptions: OutputOptions

    func validate() throws {
        guard targetCount <= 1, Self.hasBluetooth || targetCount == 1 else {
            throw ValidationError("choose one target: \(Self.targets)")
        }
        if output != nil, !loopback {
            throw ValidationError(
                "--output needs --loopback; other receivers decide for themselves where to store "
                    + "the image"
            )
        }
        if waitConfirmed, loopback {
            throw ValidationError(
                "--wait-confirmed needs a device; a loopback receiver runs nothing"
            )
        }
        try validateProtocol()
    }

    private func validateProtocol() throws {
        let spoken = loopback ? "bleota" : connect?.protocolName
        if let forced = activation.forcedProtocol, let spoken, spoken != forced.name {
            throw ValidationError(
                "--protocol \(forced.name) does not suit the target, which speaks \(spoken)"
            )
        }
        if activation.areAny, spoken == "bleota" {
            throw ValidationError(
                "--test, --confirm, --upload-only, --image and --upgrade-only are for devices that "
                    + "speak SMP"
            )
        }
        if waitConfirmed, activation.confirm || activation.uploadOnly {
            throw ValidationError(
                "--wait-confirmed needs a trial; leave out --confirm and --upload-only"
            )
        }
    }

    private var targetCount: Int {
        var count = (loopback ? 1 : 0) + (connect == nil ? 0 : 1)
        #if BlueZ
        if !device.isEmpty { count += 1 }
        #endif
        return count
    }

    #if BlueZ
    private static let hasBluetooth = true
    #else
    private static let hasBluetooth = false
    #endif

    private static let usage =
        (hasBluetooth ? "bleota push <image> [--device <NAME>]... [<options>]\n" : "") + """
            bleota push <image> --connect \(TargetArgument.usage) [<options>]
            bleota push <image> --loopback [--output <FILE>] [<options>]
            """

    private static let destination =
        hasBluetooth
        ? "Without a target, the image goes over Bluetooth to the only device in range that can be "
            + "updated."
        : ""

    private static let examples =
        (hasBluetooth
            ? """
              bleota push firmware.bin
              bleota push firmware.bin --device kitchen --device hall --parallel 2
            """ + "\n" : "") + """
              bleota push firmware.bin --connect serial:/dev/ttyUSB0@921600
              bleota push firmware.bin --loopback --loss 2%
            """

    /// The available targets, for a user who chose none or several.
    static let targets =
        (hasBluetooth ? "--device NAME for a Bluetooth device, " : "") + targetsWithoutBluetooth

    static let targetsWithoutBluetooth =
        "--loopback for a receiver inside this process, --connect serial:PATH for a serial line, "
        + "or --connect unix:PATH for a receiver started with bleota receive --listen unix:PATH "
        + "--store DIR"

    func run() async throws {
        let reporter = Reporter(outputOptions)
        try await Command.run(reporter) { try await push(reporter) }
    }

    /// Not part of the validation, which runs before the parser reports a misspelled option. The
    /// value of such an option would look like an excess argument.
    private func requireOneImage() throws(Failure) {
        guard let word = excess.first else { return }
        throw Failure(
            .usage,
            Self.hasBluetooth
                ? "push sends one image; to send it to the device \(word), add --device \(word)"
                : "push sends one image; leave out \(word)"
        )
    }

    private func push(_ reporter: Reporter) async throws {
        try requireOneImage()
        let path = FilePath(argument: image)
        let trace = try traceOption.open(reporter, inputs: [path])
        let image = try imageOptions.image(at: path)
        if compression.noCompression, image.manifest != nil {
            throw Failure(
                .usage,
                "\(path) is a bundle, whose variants were chosen when it was signed; leave out "
                    + "--no-compression"
            )
        }
        let prepared = try prepare(image)
        noteImage(image, reporter)
        let seed = faults.seed ?? .random(in: .min ... .max)
        if faults.areAny {
            reporter.note("faults        --seed \(seed) repeats them")
            reporter.event(JSONLine(event: "faults").adding("seed", "\(seed)"))
        }
        let report: TransferReport
        switch prepared {
        case .loopback(let firmware):
            report = try await pushOverLoopback(firmware, seed, trace, reporter)
        case .bleota(let firmware, let target):
            do {
                report = try await push(firmware, to: target, seed, trace, reporter)
            } catch let error as TransferError {
                throw Failure(error, pushing: firmware)
            }
        case .smp(let update, let target):
            report = try await update.push(
                through: target.connector,
                onUpdate: presenter(of: target.text, reporter, tellsLinks: true).show
            )
        #if BlueZ
        case .bluetooth(let image):
            return try await pushOverBluetooth(image, seed, trace, reporter)
        #endif
        }
        Conclusion(report, writeMode: writeMode).tell(reporter)
    }

    /// An image that is prepared as far as it can be before the device is known.
    private enum Prepared {
        case loopback(Firmware)
        case bleota(Firmware, TargetArgument)
        case smp(SMPPrepared, SMPTargetArgument)
        #if BlueZ
        case bluetooth(FirmwareFile)
        #endif
    }

    private func prepare(_ image: FirmwareFile) throws(FirmwareError) -> Prepared {
        switch connect {
        case .bleota(let target):
            return .bleota(try Firmware(image, isCompressed: !compression.noCompression), target)
        case .smp(let target):
            return .smp(try SMPPrepared(image, options: updateOptions), target)
        case nil:
            #if BlueZ
            if !loopback { return .bluetooth(image) }
            #endif
            return .loopback(try Firmware(image, isCompressed: !compression.noCompression))
        }
    }

    private func push(
        _ firmware: Firmware,
        to target: TargetArgument,
        _ seed: UInt64,
        _ trace: TraceFile?,
        _ reporter: Reporter
    ) async throws -> TransferReport {
        let connector = ToolConnector(
            target,
            attMTU: mtu ?? 247,
            timeout: options.silenceLimit,
            reporter,
            faults: faults.areAny ? faults.plan(seed: seed) : nil,
            trace: trace
        )
        return try await firmware.push(
            through: connector,
            options: options,
            onUpdate: presenter(of: target.path.string, reporter, tellsLinks: false).show
        )
    }

    private func presenter(
        of peer: String,
        _ reporter: Reporter,
        tellsLinks: Bool
    ) -> PushPresenter {
        PushPresenter(
            peer: peer,
            tellsLinks: tellsLinks,
            awaitsRunning: waitConfirmed || tellsLinks && !activation.uploadOnly,
            onProgress: reporter.progress,
            tell: { event, line in
                reporter.event(event)
                reporter.note(line)
            }
        )
    }

    private func pushOverLoopback(
        _ prepared: Firmware,
        _ seed: UInt64,
        _ trace: TraceFile?,
        _ reporter: Reporter
    ) async throws -> TransferReport {
        guard let output else {
            do {
                return try await push(prepared, into: ScratchStore(), seed, trace, reporter)
            } catch let error as TransferError where error.isRetryable {
                // The received data is gone; only an output file could be resumed.
                throw Failure(
                    ExitStatus(error),
                    "The transfer did not finish, and nothing was kept; with --output "
                        + "FILE, an interrupted push can be resumed"
                )
            }
        }
        let store = try FileStore(
            output: try loopbackOutput(output, prepared).path,
            existingOutput: .replacedUnseen
        )
        return try await push(prepared, into: store, seed, trace, reporter)
    }

    /// The output of a push to a receiver in this process. It may replace a file that already is
    /// the image, so that a repeated push shows the same faults again.
    private func loopbackOutput(
        _ output: String,
        _ prepared: Firmware
    ) throws(Failure) -> OutputFile {
        let file = try OutputFile(
            FilePath(argument: output),
            .receivedImage,
            inputs: [FilePath(argument: image)] + traceOption.files,
            isForced: traceOption.isForced
        )
        try file.requireAbsent(or: prepared.manifest, isForced: traceOption.isForced)
        return file
    }

    private func push(
        _ prepared: Firmware,
        into store: any ImageStore,
        _ seed: UInt64,
        _ trace: TraceFile?,
        _ reporter: Reporter
    ) async throws -> TransferReport {
        let (near, far) = LoopbackTransport.makePair(limits: TransportLimits(attMTU: mtu ?? 247))
        // Each direction has a seed of its own.
        let plans = faults.areAny ? [faults.plan(seed: seed), faults.plan(seed: seed &+ 1)] : []
        let sender = near.instrumented(faults: plans.first, trace: trace)
        let receiver = far.instrumented(faults: plans.last, trace: nil)
        return try await transfer(prepared, from: sender, to: receiver, store, reporter)
    }

    private func transfer(
        _ prepared: Firmware,
        from near: any Transport,
        to far: any Transport,
        _ store: any ImageStore,
        _ reporter: Reporter
    ) async throws -> TransferReport {
        let storeFailure = Mutex<StoreError?>(nil)
        // This receiver is not a device, so it accepts images for any device.
        async let served: Void = serve(over: far, into: store, policy: .anyDevice) { event in
            guard case .ended(let error) = event else { return }
            reporter.detail("receiver      \(error.sentence)")
            if case .store(let error) = error.problem { storeFailure.withLock { $0 = error } }
        }
        do throws(TransferError) {
            let report = try await BLEOTA.push(
                prepared,
                over: near,
                options: options,
                onProgress: reporter.progress
            )
            near.close(.local)
            await served
            return report
        } catch {
            near.close(.local)
            await served
            // The store is in this process, so the store's error has details that the peer's error
            // lacks.
            if let failure = storeFailure.withLock({ $0 }) { throw failure }
            throw error
        }
    }

    var options: PushOptions {
        var options = transferOptions.options
        limits.apply(to: &options)
        if waitConfirmed { options.confirmationLimit = .seconds(transferOptions.confirmTimeout) }
        return options
    }
    var updateOptions: UpdateOptions {
        activation.options(options, isForced: traceOption.isForced)
    }
    var mtu: Int? { limits.mtu }
    var writeMode: WriteModeArgument { transferOptions.writeMode }

    private func noteImage(_ image: FirmwareFile, _ reporter: Reporter) {
        let byteCount = image.manifest?.decodedByteCount ?? image.byteCount
        var line =
            "\(image.name)  \(Units.grouped(byteCount)) bytes  \(image.format.rawValue)"
        if let version = image.version { line += "  version \(version)" }
        if let address = image.loadAddress { line += "  at 0x\(String(address, radix: 16))" }
        reporter.note(line)
        for region in image.otherRegions { reporter.note("  not sent    \(region)") }
        reporter.event(
            JSONLine(event: "image").adding("name", image.name)
                .adding("bytes", byteCount).adding("format", image.format.rawValue)
                .adding("version", image.version)
                .adding("loadAddress", image.loadAddress.map { Int(truncatingIfNeeded: $0) })
        )
    }
}
