import ArgumentParser
import FleetModel
import FleetSetup
import SystemPackage

/// `bleota-fleet init gateway`: gives gateways keys.
struct InitGateway: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gateway",
        abstract: "Give gateways keys, and the servers' configuration their permissions.",
        discussion: """
            Copy FOLDER/server/accounts.conf to each server and run nats-server --signal reload \
            there, twice: a server takes in the subjects of a new gateway at the second. FOLDER/seeds/gateway-NAME.seed is the key of that gateway: move it to its \
            machine. A key that is there is never replaced.

            A gateway whose file in FOLDER/users has been deleted is permitted nothing after that.
            """
    )

    @Argument(help: "Folder of init configuration.", completion: .directory)
    var folder: String

    @Argument(help: "Names of gateways.", transform: GatewayCommand.name)
    var names: [GatewayID] = []

    func run() async throws {
        try await Command.run { () async throws(ToolFailure) in
            let folder = SetupFolder(FilePath(folder))
            guard folder.isThere else {
                throw ToolFailure(
                    .usage,
                    "\(folder.path) has no fleet: make one with bleota-fleet init configuration"
                )
            }
            do throws(SetupError) {
                for file in try folder.makeKeys(for: names.map { .gateway($0) }) {
                    Console.print(file.string)
                }
                try folder.writeAccounts()
                Console.print(folder.accountsFile.string)
            } catch {
                throw ToolFailure(error)
            }
        }
    }
}

extension ToolFailure {
    init(_ error: SetupError) {
        switch error {
        case .disk(_, .permissionDenied), .disk(_, .notPermitted), .disk(_, .readOnlyFileSystem):
            self.init(.noPermission, error.description)
        case .disk: self.init(.inputOutput, error.description)
        case .notAKey, .publicKey, .differs: self.init(.badData, error.description)
        }
    }
}
