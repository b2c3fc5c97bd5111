import ArgumentParser
import FleetModel
import FleetStore
import NATS

/// `bleota-fleet gateways forget`.
struct ForgetGateways: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget",
        abstract: "Remove gateways that are gone for good.",
        discussion: """
            A gateway must have been silent for 45 seconds. Its key still lets it in, and it comes \
            back if it runs again: to shut it out, see bleota-fleet help init gateway.
            """
    )

    @Argument(
        help: "Names of the gateways.",
        transform: { try Values.name($0, of: Lease.self) }
    )
    var names: [GatewayID]

    @Flag(help: "Print each as a line of JSON.") var json = false
    @OptionGroup(title: "Server") var server: ServerOptions

    func run() async throws {
        try await Command.run(on: server) { () async throws(ToolFailure) in
            let store = try await server.openStore(as: "bleota-fleet-gateways")
            // Nothing is removed if one of the names is wrong.
            for name in names { _ = try await Self.silent(name, in: store) }
            for name in names {
                let revision = try await Self.silent(name, in: store)
                try await store.removeNews(KeyFilter("\(name).*")!)
                do throws(FleetStoreError) {
                    try await store.gateways.delete(name, after: revision)
                } catch {
                    guard error == .nats(.revisionConflict) else { throw ToolFailure(error) }
                    throw Self.speaks(name)
                }
                let line = JSONObject("forgotten").with("gateway", name.text)
                Console.print(json ? line.text : "\(name)  forgotten")
                try await store.note("forgot the gateway \(name)")
            }
        }
    }

    private static func silent(
        _ name: GatewayID,
        in store: FleetStore
    ) async throws(ToolFailure) -> Revision {
        let entry = try await store.gateway(name)
        let now = SystemTime.moment.milliseconds
        let age = now - min(now, entry.value.moment.milliseconds)
        guard age > GatewayStatus.silenceMax.milliseconds else { throw speaks(name) }
        return entry.revision
    }

    private static func speaks(_ name: GatewayID) -> ToolFailure {
        ToolFailure(
            .usage,
            "\(name) runs, or did so in the last 45 seconds: stop its program first"
        )
    }
}

extension FleetStore {
    func gateway(
        _ name: GatewayID
    ) async throws(ToolFailure) -> Shelf<GatewayID, GatewayStatus>.Entry {
        do throws(FleetStoreError) { return try await gateways.get(name) } catch {
            guard error == .nats(.notFound) else { throw ToolFailure(error) }
            throw ToolFailure(
                .unavailable,
                "there is no gateway \(name): bleota-fleet gateways lists those there are"
            )
        }
    }
}
