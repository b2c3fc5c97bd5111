import ArgumentParser
import FleetModel
import FleetStore
import NATS

/// `bleota-fleet campaign delete`.
struct DeleteCampaign: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Remove a campaign that has ended or was never started, and its image.",
        discussion: """
            The image goes too, unless another campaign has it. What became of the devices stays: \
            bleota-fleet devices history NAME shows it. The name of a campaign that had begun \
            can't be used again, because devices and the audit stream know it.

            If the campaign is deleted and its image can't be, the command says so, and ends with \
            the code of that failure: 77 for a user who may not write images.
            """
    )
    @OptionGroup var campaign: CampaignOptions

    func run() async throws {
        try await Command.run(on: campaign.server) { () async throws(ToolFailure) in
            let name = campaign.name
            let store = try await campaign.openStore()
            let entry = try await store.campaign(name)
            try await Self.requireIdle(entry.value, in: store)
            do throws(FleetStoreError) {
                try await store.campaigns.delete(name, after: entry.revision)
            } catch {
                guard error == .nats(.revisionConflict) else { throw ToolFailure(error) }
                throw ToolFailure(.temporary, "somebody else has changed \(name): look at it again")
            }
            let image = entry.value.plan.image
            // From here on, the campaign is gone, and that is said and written down.
            let fate = await Self.removeImage(image, from: store)
            if let line = campaign.json ? fate.line(of: name).text : fate.sentence(of: name) {
                Console.print(line)
            }
            var unnoted: ToolFailure?
            do throws(ToolFailure) {
                try await store.note("deleted \(name)\(fate.words)")
            } catch {
                unnoted = error
            }
            if case .kept(let why) = fate {
                throw ToolFailure(
                    why.status,
                    "\(name) is deleted, but its image stays: \(why.sentence.dropLast()); to "
                        + "remove it too, make a campaign with the same bundle, and delete that as "
                        + "the operator"
                )
            }
            if let unnoted { throw unnoted }
            // Another operator may have made a campaign with the same image meanwhile.
            if case .deleted = fate, try await Self.isUsed(image, in: store) {
                throw ToolFailure(
                    .temporary,
                    "somebody has made a campaign with the same image meanwhile, which has no image "
                        + "now: delete it too, and make it again"
                )
            }
        }
    }

    /// What became of the image of a campaign that is deleted.
    private enum Fate {
        case deleted
        /// Another campaign has it.
        case shared
        case kept(ToolFailure)

        var words: String {
            switch self {
            case .deleted: ", with its image"
            case .shared: "; another campaign has its image"
            case .kept: "; its image stays"
            }
        }

        /// `nil` if a failure says it.
        func sentence(of name: CampaignID) -> String? {
            if case .kept = self { nil } else { "\(name)  deleted\(words)" }
        }

        func line(of name: CampaignID) -> JSONObject {
            let isDeleted = if case .deleted = self { true } else { false }
            return JSONObject("deleted").with("campaign", name.text).with("image", isDeleted)
        }
    }

    private static func removeImage(_ image: Digest, from store: FleetStore) async -> Fate {
        do throws(ToolFailure) {
            if try await isUsed(image, in: store) { return .shared }
            do throws(FleetStoreError) { try await store.images.delete(image) } catch {
                // Without its remedy: the campaign can't be deleted again.
                throw ToolFailure(ToolFailure(error).status, "\(error)")
            }
            return .deleted
        } catch {
            return .kept(error)
        }
    }

    /// Throws unless nobody works for the campaign any more.
    private static func requireIdle(
        _ campaign: Campaign,
        in store: FleetStore
    ) async throws(ToolFailure) {
        let name = campaign.plan.id
        switch campaign.phase {
        case .ready: return
        case .running, .paused:
            throw ToolFailure(
                .usage,
                "\(name) can't be deleted: it is \(campaign.phase.words); end it first with "
                    + "bleota-fleet campaign stop \(name)"
            )
        case .stopped, .finished: break
        }
        var leaseCount = 0
        try await store.devices.forEach { entry in
            if entry.value.lease != nil, entry.value.job?.campaign == name { leaseCount += 1 }
        }
        guard leaseCount == 0 else {
            throw ToolFailure(
                .temporary,
                "\(name) can't be deleted yet: \(leaseCount) devices are still being updated for it"
            )
        }
    }

    private static func isUsed(
        _ image: Digest,
        in store: FleetStore
    ) async throws(ToolFailure) -> Bool {
        var isUsed = false
        try await store.campaigns.forEach { isUsed = isUsed || $0.value.plan.image == image }
        return isUsed
    }
}
