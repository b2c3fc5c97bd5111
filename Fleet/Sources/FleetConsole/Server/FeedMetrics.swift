import FleetMetrics
import FleetModel
import FleetText

extension FleetFeed {
    /// The campaigns that the metrics tell apart; the console shows the others.
    private static let campaignsMax = 100

    /// Adds what is known of the fleet to metrics.
    func write(to text: inout MetricsText) {
        let start = start
        let (gateways, campaigns, counts, isConnected) = read { view, now in
            (
                view.allGateways(at: now, since: start), view.allCampaigns(), view.counts,
                view.isConnected
            )
        }
        text.add(.serverIsConnected, [([], isConnected ? 1 : 0)])
        text.add(.devices, DeviceState.allCases.map { ([$0.rawValue], counts[$0]) })
        text.add(
            .gateways,
            GatewayView.State.allCases.map { state in
                ([state.rawValue], gateways.count { $0.state == state })
            }
        )
        let phases = Dictionary(grouping: campaigns) { $0.campaign.phase.word }
        text.add(
            .campaigns,
            ["ready", "running", "paused", "tooManyFailures", "stopped", "finished"].map {
                ([$0], phases[$0]?.count ?? 0)
            }
        )
        let shown = campaigns.prefix(Self.campaignsMax)
        text.add(
            .campaignDevices,
            shown.flatMap { campaign in
                [DeviceState.waiting, .updating, .updated, .failed].map {
                    ([campaign.plan.id.text, $0.rawValue], campaign.counts[$0])
                }
            }
        )
        text.add(
            .campaignSelectedDevices,
            shown.compactMap { campaign in
                campaign.population.map { ([campaign.plan.id.text], $0) }
            }
        )
    }
}
