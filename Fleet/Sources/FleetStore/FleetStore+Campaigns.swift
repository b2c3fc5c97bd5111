package import FleetModel
import NATS

extension FleetStore {
    /// Tells a campaign something, on condition that nobody else does so meanwhile: it is read and
    /// told again as often as another was first.
    ///
    /// - Returns: the campaign as it is now, and whether this changed it: an input that makes no
    ///   sense in its phase doesn't.
    /// - Throws: ``FleetStoreError/nats(_:)`` with ``NATSError/notFound`` if there is none.
    package func tell(
        _ id: CampaignID,
        _ input: CampaignPhase.Input
    ) async throws(FleetStoreError) -> (campaign: Campaign, isChanged: Bool) {
        while true {
            let entry = try await campaigns.get(id)
            var campaign = entry.value
            campaign.handle(input)
            guard campaign != entry.value else { return (campaign, false) }
            do throws(FleetStoreError) {
                try await campaigns.update(id, campaign, after: entry.revision)
                return (campaign, true)
            } catch {
                // The controller may have brought it to its next stage.
                guard error == .nats(.revisionConflict) else { throw error }
            }
        }
    }
}
