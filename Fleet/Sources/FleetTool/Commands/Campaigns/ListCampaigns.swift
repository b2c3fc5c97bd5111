import ArgumentParser
import FleetModel
import FleetStore

/// `bleota-fleet campaign list`.
struct ListCampaigns: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the campaigns."
    )
    @Flag(help: "Print each as a line of JSON.") var json = false
    @OptionGroup(title: "Server") var server: ServerOptions

    func run() async throws {
        try await Command.run(on: server) { () async throws(ToolFailure) in
            let store = try await server.openStore(as: "bleota-fleet-campaign")
            var campaigns: [CampaignID: Campaign] = [:]
            try await store.campaigns.forEach { campaigns[$0.name] = $0.value }
            var progress: [CampaignID: Progress] = [:]
            try await store.progress.forEach { progress[$0.name] = $0.value }
            if !json {
                Console.print(Self.line("CAMPAIGN", "VERSION", "UPDATED", "FAILED", "STATE"))
            }
            for (id, campaign) in campaigns.sorted(by: { $0.key < $1.key }) {
                let counts = progress[id]?.counts
                let line = Self.line(
                    id.text,
                    campaign.plan.version.description,
                    counts.map { "\($0.succeeded.number)" } ?? "-",
                    counts.map { "\($0.failed.number)" } ?? "-",
                    campaign.phase.words
                )
                Console.print(
                    json ? CampaignState(campaign, progress[id]).line.text : line
                )
            }
        }
    }

    /// 20, 11, 8 and 8 columns, four spaces, and a state of up to 27.
    private static func line(
        _ name: String,
        _ version: String,
        _ updated: String,
        _ failed: String,
        _ state: String
    ) -> String {
        let cells = [(text: name, width: 20), (version, 11), (updated, 8), (failed, 8)]
        return Table.line(cells, state)
    }
}
