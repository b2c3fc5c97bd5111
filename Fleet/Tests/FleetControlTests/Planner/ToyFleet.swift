import FleetControl
import FleetModel
import FleetStore
import NATS

/// A fleet as a server has it, and what its planner has been told of it. Everything is looked at
/// anew each time, which a planner of a million devices can't do.
struct ToyFleet {
    struct Stored<Value> {
        var value: Value
        var revision: Revision
    }

    struct Ending {
        let gateway: GatewayID
        let report: Report
        /// What its receipt is worth.
        let evidence: Evidence
    }

    /// The times by which it works.
    static let pace = Pace()
    static let nonce = Nonce([UInt8](repeating: 9, count: Nonce.byteCount))!

    var records: [DeviceID: Stored<DeviceRecord>] = [:]
    var campaigns: [CampaignID: Stored<Campaign>] = [:]
    var progress: [CampaignID: Stored<Progress>] = [:]
    var orders: [DeviceAtGateway: Stored<Order>] = [:]
    var gateways: [GatewayID: (places: Int, heard: Uptime)] = [:]
    var ears: [DeviceID: [GatewayID: Strength]] = [:]
    /// The devices that were ever heard, and those that were since their record was deleted.
    var heard: Set<DeviceID> = []
    var heardAgain: Set<DeviceID> = []
    /// By device, the last report of the gateway that has it, if that ends the attempt.
    var endings: [DeviceID: Ending] = [:]
    var leasesSeen: [DeviceID: Uptime] = [:]
    var avoided: [DeviceID: GatewayID] = [:]
    /// What an operator has enrolled.
    var keys: [DeviceID: DeviceKey] = [:]
    /// The writes that are under way.
    var flights: [Write] = []

    var now = Uptime(milliseconds: 1_000_000)
    var moment = Moment(milliseconds: 1_000_000_000_000)!
    private var sequence: UInt64 = 0

    mutating func nextRevision() -> Revision {
        sequence += 1
        return Revision(sequence)!
    }

    // MARK: - What follows

    func counts(_ campaign: Campaign) -> Tally.Counts {
        var tally = Tally(of: campaign.plan)
        for stored in records.values { tally.see(stored.value, at: stored.revision.number) }
        var counts = tally.counts
        if campaign.phase.isOver || campaign.phase == .ready { counts.eligible = .zero }
        return counts
    }

    /// Whether the next phase of a campaign isn't stored yet.
    func isHalted(_ campaign: Campaign) -> Bool {
        isInFlight(campaign.plan.id) || campaign.counted(counts(campaign)) != campaign
    }

    func isInFlight(_ campaign: CampaignID) -> Bool {
        flights.contains {
            if case .campaign(let new, _) = $0 { new.plan.id == campaign } else { false }
        }
    }

    func isInFlight(_ device: DeviceID) -> Bool {
        flights.contains { if case .record(let new, _) = $0 { new.id == device } else { false } }
    }

    func hasPlace(_ gateway: GatewayID) -> Bool {
        guard let known = gateways[gateway], now < known.heard + Self.pace.gatewaySilenceMax else {
            return false
        }
        let leases = records.values.count { $0.value.lease?.gateway == gateway }
        return leases + flights.count { isLending($0, to: gateway) } < known.places
    }

    private func isLending(_ write: Write, to gateway: GatewayID) -> Bool {
        guard case .record(let new, _) = write, new.lease?.gateway == gateway, isOpen(write) else {
            return false
        }
        return records[new.id]?.value.lease?.gateway != gateway
    }

    /// Whether a record's write may still succeed.
    private func isOpen(_ write: Write) -> Bool {
        guard case .record(let new, let last) = write else { return false }
        return records[new.id]?.revision == last
    }

    /// The devices that a campaign may still give a job now.
    func due(_ campaign: Campaign) -> Int {
        let id = campaign.plan.id
        let giving = flights.count { write in
            guard case .record(let new, _) = write, new.job?.campaign == id, isOpen(write) else {
                return false
            }
            return records[new.id]?.value.job?.campaign != id
        }
        let due = campaign.phase.devicesDue(counts(campaign), of: campaign.plan, at: moment)
        return due.number - giving
    }

    func isCandidate(_ device: DeviceRecord, for campaign: Campaign) -> Bool {
        guard campaign.phase.letsDevicesTry, device.lease == nil, campaign.plan.awaits(device)
        else { return false }
        guard let job = device.job, let last = campaigns[job.campaign]?.value else { return true }
        return isSettled(last)
    }

    /// Whether a campaign is over, and its last counts are stored.
    private func isSettled(_ campaign: Campaign) -> Bool {
        let id = campaign.plan.id
        guard campaign.phase.isOver,
            !records.values.contains(where: {
                $0.value.lease != nil && $0.value.job?.campaign == id
            })
        else { return false }
        let last = progress[id]?.value
        let new = Progress(of: campaign, counts(campaign), after: last, at: moment)
        return new.map { new in last.map { new.isAsGood(as: $0) } ?? false } ?? true
    }

    func bestWorth(for device: DeviceID) -> (Int, Strength)? {
        (ears[device] ?? [:]).filter { hasPlace($0.key) }.map { worth($0.key, $0.value, device) }
            .max { $0 < $1 }
    }

    func worth(_ gateway: GatewayID, _ ear: Strength, _ device: DeviceID) -> (Int, Strength) {
        (avoided[device] == gateway ? 0 : 1, ear)
    }

    func isSilent(_ device: DeviceID) -> Bool {
        leasesSeen[device].map { $0 + Self.pace.leaseSilenceMax <= now } ?? false
    }

    /// What a gateway should be told of a device.
    func wantedOrder(_ name: DeviceAtGateway) -> Order? {
        guard let record = records[name.device]?.value, record.lease?.gateway == name.gateway,
            let job = record.job, let campaign = campaigns[job.campaign]?.value
        else { return nil }
        return record.order(for: campaign.plan)
    }

    // MARK: - What may be written

    /// Why a write is right; `nil` if it isn't.
    func reason(for write: Write) -> String? {
        switch write {
        case .record(let new, let last):
            guard records[new.id]?.revision == last, !isInFlight(new.id) else { return nil }
            return reason(for: new, after: records[new.id]?.value)
        case .campaign(let new, let last):
            guard let old = campaigns[new.plan.id], old.revision == last else { return nil }
            let isRight = old.value.counted(counts(old.value)) == new && new != old.value
            let isTold = old.value.counted(progress[new.plan.id]?.value.counts) == new
            return isRight && isTold && !isInFlight(new.plan.id) ? "advance" : nil
        case .progress(let campaign, let new, let last):
            guard let known = campaigns[campaign]?.value, progress[campaign]?.revision == last
            else { return nil }
            let right = Progress(
                of: known,
                counts(known),
                after: progress[campaign]?.value,
                at: moment
            )
            return right == new ? "progress" : nil
        case .order(let name, let order, let last):
            return orders[name]?.revision == last && wantedOrder(name) == order ? "order" : nil
        case .withdrawal(let name, let last):
            guard let present = orders[name], present.revision == last else { return nil }
            return wantedOrder(name) == nil ? "withdrawal" : nil
        case .audit: return "audit"
        case .feed: return "feed"
        }
    }

    private func reason(for new: DeviceRecord, after old: DeviceRecord?) -> String? {
        guard let old else {
            let isRight = heard.contains(new.id) && new.job == nil && new.key == keys[new.id]
            return isRight ? "creation" : nil
        }
        if old.key != new.key, endings[new.id] == nil || old.lease == new.lease {
            var enrolled = old
            enrolled.key = keys[new.id]
            return enrolled == new ? "enrolment" : nil
        }
        if let ending = endings[new.id], let plan = campaigns[ending.report.campaign]?.value.plan {
            var told = old
            let isTaken = told.take(
                ending.report,
                by: ending.gateway,
                at: moment,
                for: plan,
                evidence: ending.evidence
            )
            if isTaken, told == new { return "ending" }
        }
        var silent = old
        silent.endLease()
        if silent == new, old.lease != nil { return isSilent(new.id) ? "silence" : nil }
        guard let lease = new.lease, old.lease == nil else {
            let isNews = old.version != new.version || old.group != new.group
            return isNews && new.job == old.job && old.job?.outcome != nil || old.job == nil
                ? "news" : nil
        }
        guard let ear = ears[new.id]?[lease.gateway], hasPlace(lease.gateway),
            let best = bestWorth(for: new.id), worth(lease.gateway, ear, new.id) >= best,
            let campaign = (new.job?.campaign).flatMap({ campaigns[$0]?.value }),
            !isHalted(campaign), campaign.phase.letsDevicesTry
        else { return nil }
        let nonce = old.needsReceipt(for: campaign.plan) ? Self.nonce : nil
        var lent = old
        let isLent = lent.lend(to: lease.gateway, at: moment, campaign.plan.retries, nonce: nonce)
        if isLent, lent == new { return "retry" }
        var given = old
        let isGiven =
            isCandidate(old, for: campaign) && due(campaign) > 0
            && given.assign(campaign.plan.id, at: moment, isFree: true)
            && given.lend(to: lease.gateway, at: moment, campaign.plan.retries, nonce: nonce)
        return isGiven && given == new ? "job" : nil
    }

    /// What should be written if nothing is under way; `nil` if nothing.
    func missingWrite() -> String? {
        precondition(flights.isEmpty)
        for (id, stored) in campaigns {
            let campaign = stored.value
            guard !isHalted(campaign) else { return "\(id) isn't advanced" }
            guard let job = missingJob(campaign) else { continue }
            return job
        }
        for (device, stored) in records {
            if let ending = endings[device], campaigns[ending.report.campaign] != nil {
                return "\(device) isn't ended"
            }
            if isSilent(device) { return "\(device) is silent" }
            let record = stored.value
            if let key = keys[device], record.key != key { return "\(device) has no key" }
            guard let lease = record.lease else { continue }
            let name = DeviceAtGateway(device, at: lease.gateway)
            if orders[name]?.value != wantedOrder(name) { return "\(name.key) has no order" }
        }
        for name in orders.keys where wantedOrder(name) == nil { return "\(name.key) is stray" }
        for device in heardAgain where records[device] == nil { return "\(device) has no record" }
        return nil
    }

    private func missingJob(_ campaign: Campaign) -> String? {
        guard campaign.phase.letsDevicesTry else { return nil }
        for (device, stored) in records where bestWorth(for: device) != nil {
            let record = stored.value
            if record.job?.campaign == campaign.plan.id, record.lease == nil,
                record.job?.attemptDue(at: moment, campaign.plan.retries) != nil
            {
                return "\(device) isn't tried again"
            }
            if due(campaign) > 0, isCandidate(record, for: campaign) {
                return "\(device) has no job"
            }
        }
        return nil
    }
}
