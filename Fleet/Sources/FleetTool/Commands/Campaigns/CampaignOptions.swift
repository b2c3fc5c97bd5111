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

    /// That a campaign can't do something in its phase, and what to do instead.
    private static func refusal(to campaign: Campaign, _ what: String) -> ToolFailure {
        let id = campaign.plan.id
        let phase = campaign.phase
        let words =
            switch phase {
            case .ready: "\(phase.words); begin it with bleota-fleet campaign start \(id)"
            case .running:
                "\(phase.words); bleota-fleet campaign watch \(id) shows how far it is"
            case .paused: "\(phase.words); go on with bleota-fleet campaign resume \(id)"
            case _ where what == "stopped":
                "over (\(phase.words)); bleota-fleet campaign delete \(id) removes it"
            case .stopped, .finished:
                "over (\(phase.words)), and can't go on; make another campaign for the devices that "
                    + "are left: bleota-fleet campaign create NAME --image FILE"
            }
        return ToolFailure(.usage, "\(id) can't be \(what): it is \(words)")
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
                throw Self.refusal(to: entry.value, what)
            }
            do throws(FleetStoreError) {
                try await store.campaigns.update(name, campaign, after: entry.revision)
            } catch {
                // The controller may have brought it to its next stage.
                guard error == .nats(.revisionConflict) else { throw ToolFailure(error) }
                continue
            }
            let state = CampaignState(campaign, nil)
            Console.print(json ? state.line.text : "\(name)  \(campaign.phase.words)")
            return try await store.note("\(what) \(name)")
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
    /// Writes down what has been done.
    func note(_ sentence: String) async throws(ToolFailure) {
        do throws(FleetStoreError) {
            try await audit.add(sentence, about: try await audit.ownSubject())
        } catch {
            let failure = ToolFailure(error)
            throw ToolFailure(
                failure.status,
                "it is done, but the audit stream doesn't have it: \(failure.sentence)"
            )
        }
    }

    /// How far a campaign is; `nil` if no controller has counted it.
    func progress(of name: CampaignID) async throws(ToolFailure) -> Progress? {
        do throws(FleetStoreError) { return try await progress.get(name).value } catch {
            guard error == .nats(.notFound) else { throw ToolFailure(error) }
            return nil
        }
    }
}
