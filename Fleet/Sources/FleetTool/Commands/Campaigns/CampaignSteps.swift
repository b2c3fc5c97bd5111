import ArgumentParser
import FleetModel
import FleetStore
import NATS

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
                guard campaign.phase == .ready else { return .start(.zero) }
                var tally = Tally(of: plan)
                try await store.devices.forEach { tally.see($0.value, at: $0.revision.number) }
                guard tally.counts.eligible > .zero else {
                    throw ToolFailure(
                        .temporary,
                        "no known device with hardware \(plan.selection.hardware) needs "
                            + "\(plan.version): bleota-fleet devices lists those there are"
                    )
                }
                return .start(tally.counts.eligible)
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
