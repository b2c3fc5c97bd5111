import ArgumentParser
import FleetModel
import FleetStore
import NATS

/// `bleota-fleet campaign`: what an operator wants of a fleet.
struct CampaignCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "campaign",
        abstract: "Make, steer and look at campaigns.",
        subcommands: [
            CreateCampaign.self,
            StartCampaign.self,
            PauseCampaign.self,
            ResumeCampaign.self,
            StopCampaign.self,
            CampaignStatus.self,
            ListCampaigns.self,
        ]
    )
}

/// The name of a campaign, and the server.
struct CampaignOptions: ParsableArguments {
    @Argument(help: "Name of the campaign.", transform: Self.campaign)
    var name: CampaignID

    @OptionGroup(title: "Server") var server: ServerOptions

    static func campaign(_ text: String) throws -> CampaignID {
        guard let name = CampaignID(text) else {
            throw ValidationError("a name is 1 to 64 letters, digits, '_' and '-', not '\(text)'")
        }
        return name
    }

    func openStore() async throws(ToolFailure) -> FleetStore {
        try await server.openStore(as: "bleota-fleet-campaign")
    }

    /// Tells a campaign something, on condition that nobody else does so meanwhile.
    func tell(
        _ what: String,
        _ input: (Campaign, FleetStore) async throws(ToolFailure) -> CampaignPhase.Input
    ) async throws(ToolFailure) {
        let store = try await openStore()
        while true {
            let entry = try await store.campaign(name)
            var campaign = entry.value
            campaign.handle(try await input(entry.value, store))
            guard campaign != entry.value else {
                throw ToolFailure(
                    .usage,
                    "\(name) can't be \(what): it is \(entry.value.phase.words)"
                )
            }
            do throws(FleetStoreError) {
                try await store.campaigns.update(name, campaign, after: entry.revision)
                return Console.print("\(name)  \(campaign.phase.words)")
            } catch {
                // The controller may have brought it to its next stage.
                guard error == .nats(.revisionConflict) else { throw ToolFailure(error) }
            }
        }
    }
}

extension FleetStore {
    func campaign(
        _ name: CampaignID
    ) async throws(ToolFailure) -> Shelf<CampaignID, Campaign>.Entry {
        do throws(FleetStoreError) { return try await campaigns.get(name) } catch {
            guard error == .nats(.notFound) else { throw ToolFailure(error) }
            throw ToolFailure(
                .unavailable,
                "there is no campaign \(name): bleota-fleet campaign list shows those there are"
            )
        }
    }
}

extension Shelf {
    /// Everything that is on the shelf now.
    func forEach(_ body: (Entry) -> Void) async throws(ToolFailure) {
        do throws(FleetStoreError) {
            for try await change in try await watch() {
                switch change {
                case .value(let entry): body(entry)
                case .caughtUp: return
                case .deleted, .unreadable, .startedOver: break
                }
            }
        } catch {
            throw ToolFailure(error)
        }
        throw ToolFailure(.interrupted, "stopped before everything was read")
    }
}

/// `bleota-fleet campaign start`.
struct StartCampaign: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "start",
        abstract: "Begin a campaign with the devices that are known now."
    )
    @OptionGroup var campaign: CampaignOptions

    func run() async throws {
        try await Command.run { () async throws(ToolFailure) in
            try await campaign.tell("started") { campaign, store throws(ToolFailure) in
                let plan = campaign.plan
                var number = 0
                try await store.devices.forEach { entry in
                    if plan.selection.has(entry.value, before: plan.version) { number += 1 }
                }
                guard number > 0, let population = DeviceCount(number) else {
                    throw ToolFailure(
                        .temporary,
                        "no known device needs \(plan.version): bleota-fleet devices shows all"
                    )
                }
                return .start(population)
            }
        }
    }
}

/// `bleota-fleet campaign pause`.
struct PauseCampaign: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause",
        abstract: "Begin no more updates; those under way go on."
    )
    @OptionGroup var campaign: CampaignOptions

    func run() async throws {
        try await Command.run { () async throws(ToolFailure) in
            try await campaign.tell("paused") { _, _ in .pause }
        }
    }
}

/// `bleota-fleet campaign resume`.
struct ResumeCampaign: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "Go on with a paused campaign."
    )
    @OptionGroup var campaign: CampaignOptions

    func run() async throws {
        try await Command.run { () async throws(ToolFailure) in
            try await campaign.tell("resumed") { _, _ in .resume }
        }
    }
}

/// `bleota-fleet campaign stop`.
struct StopCampaign: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop",
        abstract: "End a campaign for good; updates under way go on."
    )
    @OptionGroup var campaign: CampaignOptions

    func run() async throws {
        try await Command.run { () async throws(ToolFailure) in
            try await campaign.tell("stopped") { _, _ in .stop }
        }
    }
}
