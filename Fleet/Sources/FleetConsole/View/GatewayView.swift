package import FleetModel

/// A gateway, and whether it is there.
package struct GatewayView: Sendable {
    package enum State: String, CaseIterable, Sendable {
        /// Its status changed within the last ``GatewayStatus/silenceMax``.
        case live
        /// It is there, and takes no more devices, because it is about to end.
        case ending
        /// The console hasn't run for long enough to know.
        case unknown
        case silent
    }

    package let id: GatewayID
    package let status: GatewayStatus
    package let state: State
    /// The devices that it has.
    package let lentCount: Int
    /// The devices that it has heard.
    package let heardCount: Int
}

extension FleetView {
    /// A gateway; `nil` if there is none of this name.
    ///
    /// - Parameters:
    ///   - now: the present.
    ///   - start: when the console began to watch.
    package func gateway(_ id: GatewayID, at now: Uptime, since start: Uptime) -> GatewayView? {
        gateways[id].map { view(id, $0, at: now, since: start) }
    }

    /// All gateways by name.
    package func allGateways(at now: Uptime, since start: Uptime) -> [GatewayView] {
        gateways.sorted { $0.key < $1.key }.map { view($0.key, $0.value, at: now, since: start) }
    }

    private func view(
        _ id: GatewayID,
        _ gateway: Gateway,
        at now: Uptime,
        since start: Uptime
    ) -> GatewayView {
        let isRecent = now <= (gateway.heard ?? start) + GatewayStatus.silenceMax
        let state: GatewayView.State =
            if !isRecent {
                .silent
            } else if gateway.heard == nil {
                .unknown
            } else if gateway.status.places == 0 {
                .ending
            } else {
                .live
            }
        return GatewayView(
            id: id,
            status: gateway.status,
            state: state,
            lentCount: lent[id]?.count ?? 0,
            heardCount: sightings[id]?.count ?? 0
        )
    }
}
