import ArgumentParser
import FleetModel
import FleetStore

/// `bleota-fleet campaign status`.
struct CampaignStatus: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show how far a campaign is.",
        discussion: """
            selected  devices that the campaign was for when it started
            begun     those that were given to a gateway, whatever has become of them
            updated   those that run the version, or had the same bytes already
            failed    those that will not be tried again in this campaign
            left      those that were not given to a gateway yet
            left out  those that the campaign is no longer for: another one has
                      updated them, for example
            changed   when one of these numbers last changed
            """
    )
    @OptionGroup var campaign: CampaignOptions

    func run() async throws {
        try await Command.run(on: campaign.server) { () async throws(ToolFailure) in
            let store = try await campaign.openStore()
            let state = CampaignState(
                try await store.campaign(campaign.name).value,
                try await store.progress(of: campaign.name)
            )
            for line in campaign.json ? [state.line.text] : state.summary { Console.print(line) }
        }
    }
}
