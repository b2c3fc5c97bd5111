import FleetModel
import FleetStore

/// The writes that are under way: one for each record, campaign and device's orders at most.
struct Flights: Sendable {
    private struct Flight {
        /// The gateway to which the device is being lent, and the campaign that gives it a job.
        let lessee: GatewayID?
        let campaign: CampaignID?
    }

    private var records: [DeviceID: Flight] = [:]
    private(set) var campaigns: Set<CampaignID> = []
    private(set) var progress: Set<CampaignID> = []
    private(set) var orders: Set<DeviceID> = []
    private var lending: [GatewayID: Int] = [:]
    private var giving: [CampaignID: Int] = [:]
    /// The devices whose records can't be read, and so not be replaced.
    private var excluded: Set<DeviceID> = []

    var count: Int { records.count + campaigns.count + progress.count + orders.count }

    /// Whether a device's record can't be written at present.
    func has(_ device: DeviceID) -> Bool {
        records[device] != nil || !excluded.isEmpty && excluded.contains(device)
    }

    mutating func exclude(_ device: DeviceID) { excluded.insert(device) }
    mutating func include(_ device: DeviceID) { excluded.remove(device) }

    /// The devices that are being lent to a gateway.
    func lent(to gateway: GatewayID) -> Int { lending[gateway] ?? 0 }

    /// The devices that a campaign is giving a job.
    func given(by campaign: CampaignID) -> Int { giving[campaign] ?? 0 }

    mutating func begin(_ new: DeviceRecord, after old: DeviceRecord?) {
        let flight = Flight(
            lessee: new.lease == old?.lease ? nil : new.lease?.gateway,
            campaign: new.job?.campaign == old?.job?.campaign ? nil : new.job?.campaign
        )
        records[new.id] = flight
        flight.lessee.map { lending[$0, default: 0] += 1 }
        flight.campaign.map { giving[$0, default: 0] += 1 }
    }

    mutating func beginCampaign(_ campaign: CampaignID) { campaigns.insert(campaign) }
    mutating func beginProgress(of campaign: CampaignID) { progress.insert(campaign) }
    mutating func beginOrders(of device: DeviceID) { orders.insert(device) }

    mutating func end(_ write: Write) {
        switch write {
        case .record(let record, _):
            guard let flight = records.removeValue(forKey: record.id) else { return }
            flight.lessee.map { lending[$0, default: 0] -= 1 }
            flight.campaign.map { giving[$0, default: 0] -= 1 }
        case .campaign(let campaign, _): campaigns.remove(campaign.plan.id)
        case .progress(let campaign, _, _): progress.remove(campaign)
        case .order(let name, _, _), .withdrawal(let name, _): orders.remove(name.device)
        case .audit, .feed: break
        }
    }
}
