package import FleetModel

/// The fleet in a few numbers.
package struct FleetSummary: Sendable, Hashable {
    package let counts: StateCounts
    package let liveGatewayCount: Int
    package let gatewayCount: Int
    package let runningCampaignCount: Int
    package let campaignCount: Int
    package let revision: UInt64
    package let isComplete: Bool
    /// Since when the store can't be reached, by the console's clock; `nil` if it can.
    package let disconnected: Moment?

    package var isConnected: Bool { disconnected == nil }

    /// How long a browser waits before it loads a page again. A list is one walk over all devices:
    /// 30 ms for a hundred thousand.
    package var refreshPause: Span {
        switch counts.total {
        case ..<20_000: .seconds(1)
        case ..<200_000: .seconds(3)
        default: .seconds(10)
        }
    }
}

extension FleetView {
    package func summary(at now: Uptime, since start: Uptime) -> FleetSummary {
        let gateways = allGateways(at: now, since: start)
        return FleetSummary(
            counts: counts,
            liveGatewayCount: gateways.count { $0.state == .live },
            gatewayCount: gateways.count,
            runningCampaignCount: campaigns.values.count { $0.phase.letsDevicesTry },
            campaignCount: campaigns.count,
            revision: revision,
            isComplete: isComplete,
            disconnected: disconnected
        )
    }
}
