import ArgumentParser
import FleetModel
import FleetStore

/// `bleota-fleet campaign status`.
struct CampaignStatus: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show how far a campaign is."
    )
    @OptionGroup var campaign: CampaignOptions

    func run() async throws {
        try await Command.run { () async throws(ToolFailure) in
            let store = try await campaign.openStore()
            let state = CampaignState(
                try await store.campaign(campaign.name).value,
                try await store.progress(of: campaign.name)
            )
            for line in campaign.json ? [state.line.text] : state.summary { Console.print(line) }
        }
    }
}
