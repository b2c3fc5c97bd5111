import ArgumentParser
import CoreMetrics
import FleetConsole
import FleetMetrics
import FleetModel
import FleetSetup
import FleetStore
import SystemPackage

/// `bleota-fleet console`: a web page that shows the fleet.
struct ConsoleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "console",
        abstract: "Serve a web page that shows the fleet, and can pause its campaigns.",
        discussion: """
            Whoever has the token of the token file can log in. The file is made with a new token \
            if it isn't there. The console speaks no TLS: to reach it from other machines, let a \
            proxy on this one do that, and add --behind-tls.

            Example:
              bleota-fleet console --token console.token
            """
    )

    @Option(
        help: ArgumentHelp(
            "Address to listen on; 127.0.0.1:8080 by default.",
            valueName: "HOST:PORT"
        ),
        transform: ListenAddress.argument
    )
    var listen = ListenAddress("127.0.0.1:8080")!

    @Option(
        help: ArgumentHelp(
            "File with the token, which only its owner may read.",
            valueName: "FILE"
        ),
        completion: .file()
    )
    var token: String

    @Flag(help: "A proxy with TLS is before it, which adds X-Forwarded-For.")
    var behindTLS = false

    @Flag(help: "Print each event as a line of JSON.")
    var json = false

    @OptionGroup(title: "Server") var server: ServerOptions

    func run() async throws {
        try await Command.run(isService: true, on: server) { () async throws(ToolFailure) in
            let file: TokenFile
            do throws(TokenFile.Failure) { file = try TokenFile(at: FilePath(token)) } catch {
                throw ToolFailure(error)
            }
            let store = try await server.openStore(as: "bleota-fleet-console", .console)
            let metrics = MetricsRegistry()
            metrics.gauge(.program, "console", BleotaFleet.version.description).set(1)
            let console = FleetConsole.Console(
                store: store,
                options: .init(address: listen, token: file.token, isBehindTLS: behindTLS),
                metrics: metrics
            )
            do throws(FleetConsole.Console.Failure) {
                try await console.run { address in tell(address, file) }
            } catch {
                switch error {
                case .store(let error): throw ToolFailure(error, as: .console)
                case .web(let error): throw ToolFailure(error)
                }
            }
        }
    }

    private func tell(_ address: ListenAddress, _ file: TokenFile) {
        if !behindTLS, !address.isOfThisMachine {
            Console.printError(
                "\(address) is without TLS, so whoever is between it and a browser can read the "
                    + "token: listen on 127.0.0.1 behind a proxy with TLS, and add --behind-tls"
            )
        }
        let place = "http://\(address)/"
        if json {
            Console.print(JSONObject("ready").with("url", place).with("token", token).text)
        } else {
            let kind = file.isNew ? "a new token" : "its token"
            Console.print("the console is at \(place); \(kind) is in \(token)")
        }
    }
}

extension ToolFailure {
    init(_ failure: TokenFile.Failure) {
        let status: ExitStatus =
            switch failure {
            case .disk(_, .permissionDenied), .disk(_, .notPermitted), .exposed: .noPermission
            case .disk: .inputOutput
            case .noToken: .badData
            }
        self.init(status, failure.description)
    }
}
