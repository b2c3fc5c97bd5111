import ArgumentParser
import FleetStore
import NATS

/// `bleota-fleet init`: sets a fleet up.
struct InitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Set up a fleet: keys and servers, then its store.",
        discussion: """
            The first steps of a fleet:
              bleota-fleet init configuration fleet --servers nats-1.example,…
              (copy fleet/server to each server, and start nats-server there)
              bleota-fleet init --replicas 3
              bleota-fleet init gateway fleet hall-1 hall-2
            """,
        subcommands: [InitStore.self, InitConfiguration.self, InitGateway.self],
        defaultSubcommand: InitStore.self
    )
}

/// `bleota-fleet init store`: makes what a fleet keeps on its server.
struct InitStore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store",
        abstract: "Make a fleet's store on its server, if it is not there yet."
    )

    @Option(
        help: ArgumentHelp("Servers that keep each value: 1, 3 or 5.", valueName: "COUNT"),
        transform: Self.count
    )
    var replicas: ReplicaCount = .one

    @OptionGroup(title: "Server") var server: ServerOptions

    func run() async throws {
        try await Command.run(on: server) { () async throws(ToolFailure) in
            let connection = try await server.connect(as: "bleota-fleet-init")
            let isThere: Bool
            do throws(FleetStoreError) {
                isThere = try await FleetStore.isWhole(on: connection)
                _ = try await FleetStore.create(on: connection, replicas: replicas)
            } catch {
                throw ToolFailure(error)
            }
            let count = replicas.rawValue
            let place = count == 1 ? "1 server" : "\(count) servers"
            Console.print(
                isThere
                    ? "the store is there already; nothing has changed"
                    : "the store is made, on \(place)"
            )
        }
    }

    private static func count(_ text: String) throws -> ReplicaCount {
        guard let count = Int(text).flatMap(ReplicaCount.init(rawValue:)) else {
            throw ValidationError("there are 1, 3 or 5 replicas, not '\(text)'")
        }
        return count
    }
}
