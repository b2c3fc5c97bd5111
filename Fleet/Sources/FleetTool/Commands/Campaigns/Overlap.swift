import FleetModel
import FleetStore

/// The devices of a campaign that starts, as far as other campaigns have them, or are for them too.
struct Overlap: Sendable {
    private enum Claim: Hashable, Sendable {
        /// It keeps the device until it is over, whatever becomes of the device.
        case has(CampaignID)
        /// It has not begun with the device.
        case isFor(CampaignID)
    }

    private let plan: CampaignPlan
    /// Campaigns that have begun, and aren't over.
    private var others: [CampaignPlan] = []
    private var claims: [DeviceID: [Claim]] = [:]

    init(of plan: CampaignPlan, in store: FleetStore) async throws(ToolFailure) {
        self.plan = plan
        var others: [CampaignID: CampaignPlan] = [:]
        try await store.campaigns.forEach { entry in
            let campaign = entry.value
            others[entry.name] = campaign.phase.progress == nil ? nil : campaign.plan
        }
        others[plan.id] = nil
        self.others = Array(others.values)
    }

    /// Sees a device, again if its record has changed.
    mutating func see(_ device: DeviceRecord) {
        claims[device.id] = plan.awaits(device) ? claims(to: device) : nil
    }

    private func claims(to device: DeviceRecord) -> [Claim]? {
        if let job = device.job, others.contains(where: { $0.id == job.campaign }) {
            return [.has(job.campaign)]
        }
        let rivals = others.filter { $0.awaits(device) }
        return rivals.isEmpty ? nil : rivals.map { .isFor($0.id) }
    }

    /// A line for each campaign that has devices, and for each that is for some.
    var sentences: [String] {
        var counts: [Claim: Int] = [:]
        for claim in claims.values.joined() { counts[claim, default: 0] += 1 }
        let campaigns = others.map(\.id).sorted()
        return campaigns.compactMap { id in
            counts[.has(id)].map { count in
                let devices = count == 1 ? "1 device waits" : "\(count) devices wait"
                return "\(devices) until campaign \(id) is over"
            }
        }
            + campaigns.compactMap { id in
                counts[.isFor(id)].map { count in
                    let devices = count == 1 ? "1 of these devices" : "\(count) of these devices"
                    return "campaign \(id) is for \(devices) too: the campaign that begins with a "
                        + "device first has it until that campaign is over"
                }
            }
    }
}
