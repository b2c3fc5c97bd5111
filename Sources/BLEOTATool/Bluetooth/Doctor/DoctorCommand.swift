#if BlueZ
import ArgumentParser
import BLEOTA
import BLEOTABlueZ
import BlueZ

/// `bleota doctor`: checks everything that a transfer over Bluetooth needs.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check Bluetooth, or what a receiver allows.",
        usage: """
            bleota doctor [<options>]
            bleota doctor --security [<options>] -- <options of receive>
            """,
        discussion: """
            With --security, nothing is sent. The command examines the files of a receiver that \
            is started with the options after --, and exits with 1 if it finds a problem. Run it \
            as the user that runs the receiver.

            Examples:
              bleota doctor
              bleota doctor --device kitchen
              bleota doctor --security -- --advertise --store D --trust release.pem.pub
            """
    )

    @Option(
        help: ArgumentHelp(
            "Also connect to this device and measure the link.",
            valueName: "NAME"
        )
    )
    var device: String?

    @Flag(help: "Check what a receiver allows, and who can change its files.")
    var security = false

    @OptionGroup var adapterOption: AdapterOption
    @OptionGroup(title: "Output") var outputOptions: OutputOptions

    @Argument(
        parsing: .postTerminator,
        help: ArgumentHelp("After --, the options of the receiver.", valueName: "options")
    )
    var receiver: [String] = []

    func validate() throws {
        guard security else {
            guard receiver.isEmpty else {
                throw ValidationError("options after -- need --security")
            }
            return
        }
        if device != nil {
            throw ValidationError("--security examines this machine; leave out --device")
        }
        _ = try receiveCommand()
    }

    /// The command that starts the receiver.
    private func receiveCommand() throws -> ReceiveCommand {
        var arguments = receiver[...]
        // The user may give the whole command instead of only its options.
        if arguments.first == "bleota" { arguments.removeFirst() }
        if arguments.first == "receive" { arguments.removeFirst() }
        do {
            return try ReceiveCommand.parse(Array(arguments))
        } catch {
            throw ValidationError(
                "give the options of the receiver after --: \(ReceiveCommand.message(for: error))"
            )
        }
    }

    func run() async throws {
        let reporter = Reporter(outputOptions)
        try await Command.run(reporter) {
            let checkup = Checkup(outputOptions, reporter)
            guard !security else { return try examineSecurity(checkup) }
            try await examine(checkup)
            // A lack of permission has its own exit code.
            if let failure = checkup.permissionFailure { throw failure }
            if let problem = checkup.firstProblem {
                throw Failure(
                    .noTarget,
                    "Bluetooth is not ready (\(problem)); follow the advice above, then run bleota "
                        + "doctor again"
                )
            }
        }
    }

    private func examineSecurity(_ checkup: Checkup) throws {
        let receiver = try receiveCommand()
        for finding in SecurityCheckup(receiver).findings { checkup.add(finding) }
        guard let problem = checkup.firstProblem else { return }
        throw Failure(
            .violated,
            "the receiver is not safe (\(problem)); follow the advice above, then run the same "
                + "command again"
        )
    }

    private func examine(_ checkup: Checkup) async throws {
        let version = await examineDaemon(checkup)
        checkup.add(KernelCheckup.finding())
        for finding in ConfigurationCheckup.findings(.read(), version: version) {
            checkup.add(finding)
        }
        guard let device else {
            return checkup.add(
                Finding(.note, "device", "not checked", remedy: "bleota doctor --device NAME")
            )
        }
        guard checkup.firstProblem == nil else {
            return checkup.add(
                Finding(
                    .note,
                    "device",
                    "not checked, because of the problems above"
                )
            )
        }
        try await examine(device, checkup)
    }

    /// Checks the daemon and its adapters; without a daemon, the adapters that the kernel reports.
    ///
    /// - Returns: the daemon's version, if it is known.
    private func examineDaemon(_ checkup: Checkup) async -> String? {
        do throws(BlueZError) {
            let adapters = try await BlueZClient.open(within: .seconds(2)).adapters
            let version = adapters.compactMap(\.daemonVersion).first
            checkup.add(DaemonCheckup.finding(version: version))
            if adapters.isEmpty {
                checkup.add(Finding(.problem, "adapter", BlueZError.noAdapter(nil).description))
            }
            for adapter in adapters { checkup.add(AdapterCheckup.finding(adapter)) }
            return version
        } catch {
            checkup.add(Finding(.problem, "daemon", error.description))
            if case .permissionDenied = error { checkup.add(permissionFailure: Failure(error)) }
            checkup.add(AdapterCheckup.findingWithoutDaemon())
            return nil
        }
    }

    private func examine(_ name: String, _ checkup: Checkup) async throws {
        let session = try await BluetoothSession(adapter: adapterOption.adapter)
        try await session.use(name) { device in try await examine(device, name, checkup) }
    }

    private func examine(
        _ device: Device,
        _ name: String,
        _ checkup: Checkup
    ) async throws(Failure) {
        do throws(BlueZError) {
            let link = try await CentralTransport.connect(to: device)
            checkup.add(Finding(.ok, "device", "\(device.address?.text ?? name) runs bleota"))
            checkup.add(Self.finding(attMTU: link.limits.attMTU))
            checkup.add(
                link.usesSocket
                    ? Finding(.ok, "AcquireWrite", "write commands use a socket")
                    : Finding(
                        .note,
                        "AcquireWrite",
                        "no socket: each write command takes a D-Bus call"
                    )
            )
            checkup.add(
                link.limits.isOrdered
                    ? Finding(.ok, "order", "kept")
                    : Finding(
                        .note,
                        "order",
                        "not kept: the two ends use several EATT channels",
                        remedy: "set GATT channels to 1, as described above"
                    )
            )
            try await measure(link, checkup)
            link.close(.local)
            await link.awaitEnd()
        } catch {
            throw Failure(error)
        }
    }

    private static func finding(attMTU: Int) -> Finding {
        guard attMTU < 100 else { return Finding(.ok, "ATT_MTU", "\(attMTU)") }
        return Finding(.note, "ATT_MTU", "\(attMTU): the device does not accept a larger one")
    }

    /// Measures the round-trip time of a read request: the median of eleven.
    private func measure(
        _ link: CentralTransport,
        _ checkup: Checkup
    ) async throws(BlueZError) {
        var times: [Duration] = []
        let clock = ContinuousClock()
        for _ in 0..<11 {
            let begin = clock.now
            do throws(TransportError) {
                try await link.flush()
            } catch {
                throw .disconnected
            }
            times.append(begin.duration(to: clock.now))
        }
        let median = times.sorted()[5]
        let seconds =
            Double(median.components.attoseconds) / 1e18
            + Double(median.components.seconds)
        checkup.add(Finding(.ok, "round trip", Units.time(seconds)))
    }
}
#endif
