import DequeModule
import FleetModel
import FleetStore

extension Planner {
    // MARK: - Campaigns that begin and end

    /// A campaign has come to another phase, or everything has been read.
    mutating func begin(_ campaign: CampaignNumber) {
        if campaigns[campaign.index].isCounting {
            countingCampaigns.insert(campaign)
            countEligible(of: campaign)
        } else {
            countingCampaigns.remove(campaign)
            campaigns[campaign.index].counts.eligible = .zero
        }
        campaigns[campaign.index].queues = [:]
        guard campaigns[campaign.index].isRunning else { return }
        refill(campaign)
        openAllGateways()
    }

    /// Fills the queues of a campaign that begins, or goes on after a pause.
    private mutating func refill(_ campaign: CampaignNumber) {
        guard let plan = campaigns[campaign.index].known?.value.plan else { return }
        let selected = devices.selectedKinds(of: plan)
        for device in devices.numbers {
            let row = devices[device]
            if row.campaign == campaign {
                if row.isWaiting { awaitRetry(of: device) }
            } else if selected[Int(row.kind)], isFree(row) {
                for ear in ears.ears(from: row.ears) { append(device, campaign, ear.gateway) }
            }
        }
    }

    /// The devices of a campaign may take part in another.
    mutating func release(_ campaign: CampaignNumber) {
        guard countingCampaigns.contains(where: { campaigns[$0.index].isRunning }) else { return }
        for device in devices.numbers where devices[device].campaign == campaign {
            enqueue(device)
        }
    }

    // MARK: - Devices

    /// Puts a device into the queues of the campaigns that it is for, at one gateway that hears it
    /// or at all.
    mutating func enqueue(_ device: DeviceNumber, at gateway: GatewayNumber? = nil) {
        guard hasCaughtUp else { return }
        for campaign in countingCampaigns.sorted() where isCandidate(device, for: campaign) {
            if let gateway {
                append(device, campaign, gateway)
            } else {
                for ear in ears.ears(from: devices[device].ears) {
                    append(device, campaign, ear.gateway)
                }
            }
        }
    }

    private mutating func append(
        _ device: DeviceNumber,
        _ campaign: CampaignNumber,
        _ gateway: GatewayNumber
    ) {
        campaigns[campaign.index].queues[gateway, default: []].append(device)
        openGateways.insert(gateway)
    }

    /// A device belongs to a campaign until that is settled, so that its record keeps the outcome as
    /// long as anybody counts it.
    func isCandidate(_ device: DeviceNumber, for campaign: CampaignNumber) -> Bool {
        let row = devices[device]
        guard row.hasRecord, row.campaign != campaign, isFree(row),
            campaigns[campaign.index].isRunning,
            let plan = campaigns[campaign.index].known?.value.plan
        else { return false }
        return plan.selects(devices.kinds[row.kind])
    }

    private func isFree(_ row: DeviceRow) -> Bool {
        row.lessee == nil && (row.campaign.map { campaigns[$0.index].letsDevicesGo } ?? true)
    }
}
