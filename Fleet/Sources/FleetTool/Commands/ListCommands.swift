import ArgumentParser
import FleetModel
import FleetStore
import NATS

/// `bleota-fleet campaign status`.
struct CampaignStatus: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show how far a campaign is."
    )
    @Flag(help: "Print a line of JSON.") var json = false
    @OptionGroup var campaign: CampaignOptions

    func run() async throws {
        try await Command.run { () async throws(ToolFailure) in
            let store = try await campaign.openStore()
            let phase = try await store.campaign(campaign.name).value.phase
            var tally = Tally(of: campaign.name)
            try await store.devices.forEach { tally.see($0.value, at: $0.revision.number) }
            let counts = tally.counts
            guard json else {
                Console.print("\(campaign.name)  \(phase.words)")
                if let progress = phase.progress {
                    Console.print("selected   \(progress.population.number)")
                }
                Console.print("begun      \(counts.given.number)")
                Console.print("updated    \(counts.succeeded.number)")
                Console.print("failed     \(counts.failed.number)")
                return
            }
            var line = JSONObject("campaign").with("campaign", campaign.name.text)
                .with("phase", phase.word)
            if let progress = phase.progress {
                line = line.with("stage", UInt64(progress.stage))
                    .with("selected", UInt64(progress.population.number))
            }
            Console.print(
                line.with("begun", UInt64(counts.given.number))
                    .with("updated", UInt64(counts.succeeded.number))
                    .with("failed", UInt64(counts.failed.number)).text
            )
        }
    }
}

/// `bleota-fleet campaign list`.
struct ListCampaigns: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the campaigns."
    )
    @Flag(help: "Print each as a line of JSON.") var json = false
    @OptionGroup(title: "Server") var server: ServerOptions

    func run() async throws {
        try await Command.run { () async throws(ToolFailure) in
            let store = try await server.openStore(as: "bleota-fleet-campaign")
            if !json { Console.print(Table.line([("CAMPAIGN", 24), ("VERSION", 17)], "STATE")) }
            try await store.campaigns.forEach { entry in
                let (plan, phase) = (entry.value.plan, entry.value.phase)
                let line = JSONObject("campaign").with("campaign", plan.id.text)
                    .with("version", plan.version.description).with("phase", phase.word)
                let cells = [(text: plan.id.text, width: 24), (plan.version.description, 17)]
                Console.print(json ? line.text : Table.line(cells, phase.words))
            }
        }
    }
}

/// `bleota-fleet devices`.
struct DevicesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "List the devices."
    )
    @Flag(help: "Print each as a line of JSON.") var json = false
    @OptionGroup(title: "Server") var server: ServerOptions

    func run() async throws {
        try await Command.run { () async throws(ToolFailure) in
            let store = try await server.openStore(as: "bleota-fleet-devices")
            if !json {
                let head = [(text: "DEVICE", width: 26), ("HARDWARE", 14), ("VERSION", 17)]
                Console.print(Table.line(head, "STATE"))
            }
            try await store.devices.forEach { entry in
                let device = entry.value
                let cells = [
                    (text: device.id.text, width: 26), (device.hardware.text, 14),
                    (device.version.description, 17),
                ]
                Console.print(
                    json ? device.line("device").text : Table.line(cells, device.stateWord)
                )
            }
        }
    }
}

/// `bleota-fleet gateways`.
struct GatewaysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gateways",
        abstract: "List the gateways."
    )
    @Flag(help: "Print each as a line of JSON.") var json = false
    @OptionGroup(title: "Server") var server: ServerOptions

    func run() async throws {
        try await Command.run { () async throws(ToolFailure) in
            let store = try await server.openStore(as: "bleota-fleet-gateways")
            let now = SystemTime.moment.milliseconds
            if !json {
                let head = [(text: "GATEWAY", width: 32), ("PLACES", 6), ("PROGRAM", 17)]
                Console.print(Table.line(head, "LAST HEARD"))
            }
            try await store.gateways.forEach { entry in
                let status = entry.value
                let age = (now - min(now, status.moment.milliseconds)) / 1_000
                let line = JSONObject("gateway").with("gateway", entry.name.text)
                    .with("places", UInt64(status.places))
                    .with("program", status.program.description).with("heardSecondsAgo", age)
                let cells = [
                    (text: entry.name.text, width: 32), ("\(status.places)", 6),
                    (status.program.description, 17),
                ]
                Console.print(json ? line.text : Table.line(cells, "\(age) s ago"))
            }
        }
    }
}
