import ArgumentParser
import FleetModel

/// The tool. Each command has a file of its own.
@main
struct BleotaFleet: AsyncParsableCommand {
    static let version = FirmwareVersion(0, 1, 0)

    static let configuration = CommandConfiguration(
        commandName: "bleota-fleet",
        abstract: "Update many devices through many gateways.",
        discussion: """
            EXIT CODES:
              0    done
              64   wrong usage
              65   the image or a stored value is not what it should be
              69   the server or the fleet is not there
              70   a fault of this program
              74   input or output failed
              75   not now; run the same command again
              77   permission denied
              129  stopped by SIGHUP
              130  stopped by SIGINT
              143  stopped by SIGTERM
              controller, gateway, console and simulate end with 0 for SIGTERM and SIGHUP
            """,
        version: version.description,
        subcommands: [
            InitCommand.self,
            ControllerCommand.self,
            CampaignCommand.self,
            DevicesCommand.self,
            GatewaysCommand.self,
            ServersCommand.self,
            GatewayCommand.self,
            ConsoleCommand.self,
            AuditCommand.self,
            SimulateCommand.self,
        ]
    )

    static func main() async {
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
            Command.end(with: .done)
        } catch let failure as ToolFailure {
            Console.printError("bleota-fleet: \(failure.sentence)")
            Command.end(with: failure.status)
        } catch {
            exit(withError: error)
        }
    }
}
