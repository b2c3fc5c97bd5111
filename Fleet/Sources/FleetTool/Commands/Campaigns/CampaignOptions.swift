import ArgumentParser
import FleetModel
import FleetStore
import NATS

/// The name of a campaign, and the server.
struct CampaignOptions: ParsableArguments {
    @Argument(
        help: "Name of the campaign.",
        transform: { try Values.name($0, of: CampaignPlan.self) }
    )
    var name: CampaignID

    @Flag(help: "Print lines of JSON.")
    var json = false

    @OptionGroup(title: "Server") var server: ServerOptions

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
                let state = CampaignState(campaign, nil)
                return Console.print(
                    json ? state.line.text : "\(name)  \(campaign.phase.words)"
                )
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

extension FleetStore {
    /// How far a campaign is; `nil` if no controller has counted it.
    func progress(of name: CampaignID) async throws(ToolFailure) -> Progress? {
        do throws(FleetStoreError) { return try await progress.get(name).value } catch {
            guard error == .nats(.notFound) else { throw ToolFailure(error) }
            return nil
        }
    }
}
