import ArgumentParser
import FleetModel
import FleetStore

/// `bleota-fleet gateways`.
struct GatewaysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gateways",
        abstract: "List the gateways, or forget some.",
        subcommands: [ListGateways.self, ForgetGateways.self],
        defaultSubcommand: ListGateways.self
    )
}

/// `bleota-fleet gateways list`, which is also `bleota-fleet gateways`.
struct ListGateways: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the gateways, or some of them.",
        discussion: """
            A gateway speaks every 15 seconds, and is silent when nothing was heard from it for \
            45 seconds. That compares its clock with the one of this machine.
            """
    )

    @Flag(help: "Only those that are silent.") var silent = false
    @Flag(help: "Print each as a line of JSON.") var json = false
    @OptionGroup(title: "Server") var server: ServerOptions

    func run() async throws {
        try await Command.run(on: server) { () async throws(ToolFailure) in
            let store = try await server.openStore(as: "bleota-fleet-gateways")
            let now = SystemTime.moment.milliseconds
            var gateways: [GatewayID: GatewayStatus] = [:]
            try await store.gateways.forEach { gateways[$0.name] = $0.value }
            if !json {
                let head = [(text: "GATEWAY", width: 32), ("PLACES", 6), ("PROGRAM", 17)]
                Console.print(Table.line(head, "LAST HEARD"))
            }
            for (name, status) in gateways.sorted(by: { $0.key < $1.key }) {
                let age = now - min(now, status.moment.milliseconds)
                let isSilent = age > GatewayStatus.silenceMax.milliseconds
                guard isSilent || !silent else { continue }
                Self.show(name, status, secondsAgo: age / 1_000, isSilent, isJSON: json)
            }
        }
    }

    private static func show(
        _ name: GatewayID,
        _ status: GatewayStatus,
        secondsAgo: UInt64,
        _ isSilent: Bool,
        isJSON: Bool
    ) {
        let line = JSONObject("gateway").with("gateway", name.text)
            .with("places", UInt64(status.places))
            .with("program", status.program.description)
            .with("heardSecondsAgo", secondsAgo)
        let cells = [
            (text: name.text, width: 32), ("\(status.places)", 6),
            (status.program.description, 17),
        ]
        let heard = isSilent ? "\(secondsAgo) s ago: silent" : "\(secondsAgo) s ago"
        Console.print(isJSON ? line.text : Table.line(cells, heard))
    }
}
