import ArgumentParser
import BLEOTA
import BLEOTASMP
import SystemPackage

#if BlueZ
import BLEOTABlueZ
import BlueZ
#endif

/// `bleota receive`: accepts transfers until it is stopped.
struct ReceiveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "receive",
        abstract: "Receive images, one after another, until stopped.",
        usage: usage,
        discussion: """
            The verified image is DIR/current/image, and the one before it DIR/previous/image. A \
            program given after -- installs each verified image. It runs without a shell, with the \
            path of the image as its last argument, and finds details of the image in the \
            environment variables BLEOTA_SHA256, BLEOTA_VERSION, BLEOTA_NAME, BLEOTA_COMPONENT and \
            BLEOTA_MODE. BLEOTA_MODE is test with --on-trial, and permanent otherwise.

            Examples:
            \(examples)
            """
    )

    #if BlueZ
    private static let usage = """
        bleota receive --advertise --store <DIR>
                       (--trust <FILE> | --allow-unsigned)
                       [<options>] [-- <program>]
        bleota receive --listen <TARGET> --store <DIR>
                       [<options>] [-- <program>]
        """
    private static let examples = """
          bleota receive --advertise --store /var/lib/device --trust release.pem.pub
          bleota receive --listen serial:/dev/ttyUSB0 --store /var/lib/device
          bleota receive --advertise --store D --trust K -- /usr/lib/install --slot b
          bleota receive --listen smp+udp:1337 --store D --trust K
        """
    #else
    private static let usage = """
        bleota receive --listen \(TargetArgument.usage) --store <DIR>
                       [<options>] [-- <program>]
        """
    private static let examples = """
          bleota receive --listen unix:/run/device.socket --store /var/lib/device
          bleota receive --listen serial:/dev/ttyUSB0 --store /var/lib/device
        """
    #endif

    #if BlueZ
    @Flag(help: "Advertise the bleota service over Bluetooth.")
    var advertise = false
    #endif

    @Option(
        help: ArgumentHelp(
            "Listen on unix:PATH or serial:PATH[@BAUD] or, for clients of SMP (MCUmgr), on "
                + "smp+udp:[HOST:]PORT, smp+serial:PATH[@BAUD] or smp+raw:PATH[@BAUD].",
            valueName: "TARGET"
        ),
        completion: TargetCompletion.all,
        transform: ReceiveTargetArgument.init(argument:)
    )
    var listen: ReceiveTargetArgument?

    @Option(
        help: ArgumentHelp("Directory for images and transfers.", valueName: "DIR"),
        completion: .directory
    )
    var store: String

    @OptionGroup var trustOptions: TrustOptions

    @Flag(help: "Exit after the first verified image.")
    var once = false

    #if BlueZ
    @OptionGroup(title: "Bluetooth") var bluetooth: ReceiveBluetoothOptions
    #endif

    @OptionGroup(title: "Policy") var policyOptions: PolicyOptions
    @OptionGroup(title: "Installation") var installOptions: InstallOptions
    @OptionGroup(title: "Service") var serviceOptions: ReceiveServiceOptions
    @OptionGroup(title: "Output") var traceOption: TraceOption
    @OptionGroup(title: "Output") var outputOptions: OutputOptions

    func validate() throws {
        #if BlueZ
        guard advertise == (listen == nil) else {
            throw ValidationError(
                "choose how peers connect: --advertise for Bluetooth, or --listen "
                    + TargetArgument.valueName
            )
        }
        if advertise { try requireTrust("in range") }
        if !advertise { try bluetooth.requireNone() }
        if listen?.isNetwork ?? false { try requireTrust("on the network") }
        #else
        if listen == nil {
            throw ValidationError("choose where to listen: --listen \(TargetArgument.valueName)")
        }
        if listen?.isNetwork ?? false { try requireTrust("on the network") }
        #endif
        if once, !serviceOptions.offer.isEmpty {
            throw ValidationError(
                "--once exits when an image has arrived, before a peer can pull; leave out --once "
                    + "or --offer"
            )
        }
    }

    /// Opens the store. A receiver that has just been told to stop may hold it for a moment.
    private func openStore(
        _ directory: FilePath,
        _ reporter: Reporter
    ) async throws -> DirectoryStore {
        let limit = policyOptions.maxSize.byteCount
        let pause = Duration.milliseconds(50)
        defer { reporter.removeLine() }
        for _ in 0..<60 {
            do {
                return try DirectoryStore(directory: directory, imageByteCountLimit: limit)
            } catch {
                guard error.code == .busy else { throw error }
                reporter.moving("waiting for another process to leave the store")
                try await Task.sleep(for: pause)
            }
        }
        return try DirectoryStore(directory: directory, imageByteCountLimit: limit)
    }

    private func requireTrust(_ place: String) throws {
        guard !trustOptions.isDecided else { return }
        throw ValidationError(
            "choose whose images to accept: --trust FILE with the maker's public key, or "
                + "--allow-unsigned for images from anyone \(place)"
        )
    }

    func run() async throws {
        let reporter = Reporter(outputOptions, isService: true)
        try await Command.run(
            reporter,
            stopping: "telling connected peers; interrupt again to exit now",
            isService: true
        ) { try await receive(reporter) }
    }

    private func receive(_ reporter: Reporter) async throws {
        try Descriptors.require(Descriptors.serviceCountMin)
        let offers = try serviceOptions.offer.map { path throws(FirmwareError) in
            try Firmware(FirmwareFile(contentsOf: FilePath(argument: path)))
        }
        let trace = try traceOption.open(
            reporter,
            inputs: serviceOptions.offer.map { FilePath(argument: $0) },
            keys: trustOptions.keyFiles + policyOptions.keyFiles
        )
        // Read the keys before creating the store: a wrong key must not leave a store behind.
        let acceptance = try policyOptions.policy(trustOptions)
        let directory = FilePath(argument: self.store)
        let store = try await openStore(directory, reporter)
        if trustOptions.allowUnsigned, !trustOptions.trust.isEmpty {
            reporter.note(
                "note          --allow-unsigned accepts images from anyone, despite --trust"
            )
        }
        let installer = installOptions.installer(directory: directory, reporter)
        let policy = policy(acceptance, installer)
        let links = try await links(reporter)
        try trace?.begin()
        let events = ReceiveReporter(
            directory: directory,
            hardware: policyOptions.hardware?.range,
            reporter
        )
        let service = Service(
            into: store,
            policy: policy,
            offering: offers,
            limits: links.bleota?.limits ?? ServiceLimits()
        ) { event, guest in
            installer.note(event)
            events.tell(event, of: guest)
        }
        let intake = UploadIntake(
            into: store,
            directory: directory,
            policy: policy,
            isInstalled: installer.hasProgram,
            sharing: service
        )
        links.bleota?.onShortage { service.makeRoom() }
        try await resumeInstalling(from: store, intake, installer)
        do {
            try await store.whileThere {
                try await ReceiveRun(links, service, intake, installer, events, trace)
                    .serve(isOnce: once)
            }
        } catch {
            await links.end()
            await installer.stop()
            throw error
        }
        await links.end()
        await installer.finish()
    }

    /// Resumes an installation that was cut short, if the current image would still be accepted.
    private func resumeInstalling(
        from store: DirectoryStore,
        _ intake: UploadIntake,
        _ installer: Installer
    ) async throws(StoreError) {
        guard let current = try await store.current(),
            try await intake.refusal(ofCurrent: current) == nil
        else { return }
        installer.resume(current, isOnTrial: await intake.isOnTrial(current))
    }

    /// The policy, which refuses images during an installation.
    private func policy(
        _ acceptance: AcceptancePolicy,
        _ installer: Installer
    ) -> AcceptancePolicy {
        var policy = acceptance
        let signsReceipts = policy.deviceKey != nil
        policy.running = { signsReceipts ? installer.statement : installer.running }
        policy.judge = { _ in installer.isFree ? nil : .notNow }
        return policy
    }

    private func links(_ reporter: Reporter) async throws -> ReceiveLinks {
        if let listen {
            let links = try ReceiveLinks(listen, attMTU: serviceOptions.mtu) { change, path in
                switch change {
                case .gone(let error): reporter.note("waiting       \(error)")
                case .opened: reporter.note("listening     again on \(path)")
                }
            }
            reporter.event(JSONLine(event: "listening").adding("path", links.place))
            reporter.note("listening on \(links.place)")
            return links
        }
        #if BlueZ
        let links = try await bluetoothLinks(reporter)
        return ReceiveLinks(links, smp: bluetooth.smp ? GATTListener(links) : nil)
        #else
        preconditionFailure("validated")
        #endif
    }

    #if BlueZ
    private func bluetoothLinks(_ reporter: Reporter) async throws(Failure) -> BluetoothLinks {
        let links: BluetoothLinks
        do throws(BlueZError) {
            links = try await BluetoothLinks(
                adapter: bluetooth.adapterOption.adapter,
                name: bluetooth.name,
                firmwareVersion: bluetooth.firmwareVersion ?? "",
                wantsUpdate: bluetooth.updateWanted,
                attMTU: serviceOptions.mtu ?? 517,
                security: bluetooth.link?.security ?? .open,
                pipe: bluetooth.smp ? GATTListener.service : nil,
                offersChannels: !bluetooth.noL2cap
            ) { digits in
                reporter.event(JSONLine(event: "passkey").adding("passkey", digits))
                reporter.say("passkey       \(digits): enter it on the machine that connects")
            }
        } catch {
            throw Failure(error)
        }
        reporter.event(
            JSONLine(event: "advertising").adding("name", links.name)
                .adding("address", links.address)
        )
        let isShared = bluetooth.smp
        reporter.note("advertising   \(links.place)\(isShared ? ", alternating with SMP" : "")")
        return links
    }
    #endif
}
