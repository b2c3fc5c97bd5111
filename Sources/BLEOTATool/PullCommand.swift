import ArgumentParser
import BLEOTA
import SystemPackage

/// `bleota pull`: fetches an object that a receiver offers.
struct PullCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pull",
        abstract: "Fetch a file that the other side offers.",
        usage: "bleota pull <name> --connect unix:PATH --output FILE [<options>]",
        discussion: """
            Example:
              bleota pull log.bin --connect unix:/run/device.socket --output log.bin
            """
    )

    @Argument(help: "The name under which the other side offers it.")
    var name: String

    @Option(
        help: ArgumentHelp("The socket of the other side.", valueName: Target.valueName),
        transform: Target.init(argument:)
    )
    var connect: Target

    @Option(help: ArgumentHelp("Where it lands.", valueName: "FILE"), completion: .file())
    var output: String

    @Option(help: ArgumentHelp("The ATT_MTU of the link, 23 to 517.", valueName: "N"))
    var mtu = 247

    @Option(
        help: ArgumentHelp(
            "How many seconds to wait for a sign of life, and to try to connect again.",
            valueName: "S"
        )
    )
    var timeout: Int?

    @OptionGroup(title: "Output") var outputOptions: OutputOptions

    func validate() throws {
        guard (23...517).contains(mtu) else {
            throw ValidationError("an ATT_MTU is 23 to 517, not \(mtu)")
        }
        if let timeout, !(1...3_600).contains(timeout) {
            throw ValidationError("--timeout is 1 to 3600 seconds, not \(timeout)")
        }
    }

    func run() async throws {
        let reporter = Reporter(outputOptions)
        try await Command.run(reporter) {
            var options = TransferOptions()
            if let timeout {
                options.silenceLimit = .seconds(timeout)
                options.reconnectionLimit = .seconds(timeout)
            }
            let store = try FileStore(output: FilePath(output))
            let connector = ToolConnector(
                connect,
                attMTU: mtu,
                timeout: options.silenceLimit,
                reporter
            )
            let report = try await pull(
                name,
                through: connector,
                into: store,
                options: options
            ) { event in
                if case .progress(let progress) = event { reporter.progress(progress) }
            }
            Conclusion(report, writeMode: nil).tell(reporter)
        }
    }
}
