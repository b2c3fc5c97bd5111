import FleetModel
import FleetStore

/// The writes that are under way: one for each record, campaign, progress and device's orders at
/// most.
struct Flights: Sendable {
    /// What a record's write takes up until it is over.
    struct Claim: Sendable {
        /// The gateway to which the device is being lent, and the campaign that gives it a job.
        let lessee: GatewayNumber?
        let campaign: CampaignNumber?
    }

    private var records: [DeviceNumber: Claim] = [:]
    private(set) var campaigns: Set<CampaignNumber> = []
    private(set) var progress: Set<CampaignNumber> = []
    private(set) var orders: Set<DeviceNumber> = []
    /// The devices whose records can't be read, and so not be replaced.
    private var excluded: Set<DeviceNumber> = []

    var count: Int { records.count + campaigns.count + progress.count + orders.count }

    /// Whether a device's record can't be written at present.
    func has(_ device: DeviceNumber) -> Bool {
        records[device] != nil || !excluded.isEmpty && excluded.contains(device)
    }

    mutating func exclude(_ device: DeviceNumber) { excluded.insert(device) }
    mutating func include(_ device: DeviceNumber) { excluded.remove(device) }

    mutating func begin(_ device: DeviceNumber, _ claim: Claim) { records[device] = claim }

    mutating func end(_ device: DeviceNumber) -> Claim? { records.removeValue(forKey: device) }

    mutating func beginCampaign(_ campaign: CampaignNumber) { campaigns.insert(campaign) }
    mutating func endCampaign(_ campaign: CampaignNumber) { campaigns.remove(campaign) }
    mutating func beginProgress(of campaign: CampaignNumber) { progress.insert(campaign) }
    mutating func endProgress(of campaign: CampaignNumber) { progress.remove(campaign) }
    mutating func beginOrders(of device: DeviceNumber) { orders.insert(device) }
    mutating func endOrders(of device: DeviceNumber) { orders.remove(device) }
}
