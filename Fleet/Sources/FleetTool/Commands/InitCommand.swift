import ArgumentParser
import FleetStore
import NATS

/// `bleota-fleet init`: makes what a fleet keeps on its server.
struct InitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Make a fleet's store on its server, if it is not there yet."
    )

    @Option(
        help: ArgumentHelp("Servers that keep each value: 1, 3 or 5.", valueName: "COUNT"),
        transform: Self.count
    )
    var replicas: ReplicaCount = .one

    @OptionGroup(title: "Server") var server: ServerOptions

    func run() async throws {
        try await Command.run { () async throws(ToolFailure) in
            let connection = try await server.connect(as: "bleota-fleet-init")
            do throws(FleetStoreError) {
                _ = try await FleetStore.create(on: connection, replicas: replicas)
            } catch {
                throw ToolFailure(error)
            }
        }
    }

    private static func count(_ text: String) throws -> ReplicaCount {
        guard let count = Int(text).flatMap(ReplicaCount.init(rawValue:)) else {
            throw ValidationError("there are 1, 3 or 5 replicas, not '\(text)'")
        }
        return count
    }
}
