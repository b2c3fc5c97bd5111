package import FleetModel
package import FleetStore
package import NATS

/// What the active controller knows, and what follows from it.
///
/// It is told what is on the server, and says what to write (``decide(at:_:)``). It begins empty
/// with each term of a controller. No event makes it look at all devices, except that a campaign
/// begins or ends.
package struct Planner: Sendable {
    /// Twice the number that has to work, and a fifth of what a ``DeviceCount`` counts. A gateway
    /// that invents devices gets no further.
    static let devicesMax = 2_000_000
    /// Writes under way. One connection makes several thousand in a second; the server answers
    /// the last of these after less than a tenth of one.
    static let flightsMax = 256
    /// Sentences about lies that wait to be written. A flood of them is one event to a reader.
    static let auditsMax = 64

    let pace: Pace
    /// Whether everything that was on the server at the beginning has been seen.
    private(set) var hasCaughtUp = false

    private(set) var records: [DeviceID: Known<DeviceRecord>] = [:]
    private(set) var campaigns: [CampaignID: Known<Campaign>] = [:]
    private(set) var counts: [CampaignID: Tally.Counts] = [:]
    /// How far each campaign is, as it is stored, and when this planner last had it written.
    /// `nil` for one that can't be read.
    private(set) var progress: [CampaignID: Known<Progress?>] = [:]
    var progressWritten: [CampaignID: Uptime] = [:]
    private(set) var gateways: [GatewayID: (status: GatewayStatus, heard: Uptime)] = [:]
    private(set) var ears: [DeviceID: [Ear]] = [:]
    /// What is on the server of orders: `nil` for one that can't be read.
    private(set) var orders: [DeviceID: [GatewayID: Known<Order?>]] = [:]

    /// The devices that gateways have, and when the last report of each was seen.
    var leases: [DeviceID: Uptime] = [:]
    private(set) var leaseCounts: [GatewayID: Int] = [:]
    /// The devices that wait for their next attempt.
    private(set) var waiting: Set<DeviceID> = []
    /// Reports that end an attempt, until they are in the record.
    var endings: [DeviceID: (gateway: GatewayID, report: Report)] = [:]
    /// The gateway that was silent about a device last: another is better.
    var avoided: [DeviceID: GatewayID] = [:]
    /// Devices that were heard and have no record, or have changed since.
    var news: [DeviceID: Sighting] = [:]
    /// By campaign and gateway, the devices that may get a job. An entry may be out of date.
    var queues: [CampaignID: [GatewayID: DeviceQueue]] = [:]
    /// The devices whose orders may differ from their records.
    var unsettledOrders: Set<DeviceID> = []
    var audits: [Write] = []
    /// Gateways that this controller hasn't seen before in this term.
    var newGateways: [GatewayID] = []
    var flights = Flights()

    package var deviceCount: Int { records.count }

    package init(_ pace: Pace) { self.pace = pace }

    // MARK: - What is on the server

    /// Everything that was there at the beginning has been seen.
    package mutating func catchUp() {
        hasCaughtUp = true
        for known in campaigns.values { count(known.value.plan) }
        refillQueues()
        unsettledOrders.formUnion(orders.keys)
    }

    package mutating func see(_ record: DeviceRecord, _ revision: Revision, at now: Uptime) {
        let old = records[record.id]
        if let old, old.revision >= revision { return }
        flights.include(record.id)
        records[record.id] = Known(value: record, revision: revision)
        recount(from: old?.value, to: record)
        note(record, after: old?.value.lease, at: now)
        // A device that a gateway still had when its campaign was stopped is free for another now.
        let isBack = old?.value.lease != nil && record.lease == nil
        if isBack || old?.value.version != record.version || old?.value.group != record.group {
            enqueue(record, at: nil)
        }
    }

    /// Somebody deleted a record.
    package mutating func forget(_ device: DeviceID) {
        guard let old = records.removeValue(forKey: device)?.value else { return }
        recount(from: old, to: nil)
        if let lease = old.lease { leaseCounts[lease.gateway, default: 0] -= 1 }
        leases[device] = nil
        endings[device] = nil
        avoided[device] = nil
        waiting.remove(device)
        unsettledOrders.insert(device)
    }

    /// Somebody wrote a record that can't be read: the device is left alone until it can be.
    package mutating func exclude(_ device: DeviceID) { flights.exclude(device) }

    private mutating func recount(from old: DeviceRecord?, to new: DeviceRecord?) {
        guard hasCaughtUp else { return }
        for (id, known) in campaigns {
            let plan = known.value.plan
            counts[id, default: .init()].move(
                from: old.map { .init(of: $0, in: plan) } ?? .none,
                to: new.map { .init(of: $0, in: plan) } ?? .none
            )
        }
    }

    private mutating func count(_ plan: CampaignPlan) {
        var new = Tally.Counts()
        for known in records.values { new.move(from: .none, to: .init(of: known.value, in: plan)) }
        counts[plan.id] = new
    }

    private mutating func note(_ record: DeviceRecord, after old: Lease?, at now: Uptime) {
        let device = record.id
        if record.lease != old {
            if let old { leaseCounts[old.gateway, default: 0] -= 1 }
            if let new = record.lease { leaseCounts[new.gateway, default: 0] += 1 }
            leases[device] = record.lease == nil ? nil : now
            endings[device] = nil
            unsettledOrders.insert(device)
        }
        let isWaiting = record.lease == nil && record.job != nil && record.job?.outcome == nil
        if isWaiting { waiting.insert(device) } else { waiting.remove(device) }
        if record.job?.outcome != nil { avoided[device] = nil }
    }

    package mutating func see(_ campaign: Campaign, _ revision: Revision) {
        let id = campaign.plan.id
        let old = campaigns[id]
        if let old, old.revision >= revision { return }
        campaigns[id] = Known(value: campaign, revision: revision)
        guard hasCaughtUp else { return }
        if old == nil { count(campaign.plan) }
        guard old?.value.phase.isRunning != campaign.phase.isRunning else { return }
        // Devices of a campaign that is over may take part in another.
        refillQueues()
    }

    /// A campaign is gone, or can't be read: it gives nothing more.
    package mutating func forget(_ campaign: CampaignID) {
        campaigns[campaign] = nil
        counts[campaign] = nil
    }

    package mutating func see(
        _ progress: Progress?,
        of campaign: CampaignID,
        _ revision: Revision
    ) {
        if let old = self.progress[campaign], old.revision >= revision { return }
        self.progress[campaign] = Known(value: progress, revision: revision)
    }

    package mutating func forgetProgress(of campaign: CampaignID, upTo revision: Revision?) {
        guard let old = progress[campaign], old.revision <= revision ?? old.revision else { return }
        progress[campaign] = nil
    }

    package mutating func see(_ status: GatewayStatus, of gateway: GatewayID, at now: Uptime) {
        if gateways[gateway] == nil { newGateways.append(gateway) }
        gateways[gateway] = (status, now)
    }

    package mutating func forget(_ gateway: GatewayID) { gateways[gateway] = nil }

    package mutating func see(_ sighting: Sighting, _ name: DeviceAtGateway) {
        let device = name.device
        let record = records[device]?.value
        guard record != nil || records.count + news.count < Self.devicesMax else { return }
        let ear = Ear(gateway: name.gateway, strength: sighting.strength)
        let index = ears[device]?.firstIndex { $0.gateway == name.gateway }
        if let index { ears[device]?[index] = ear } else { ears[device, default: []].append(ear) }
        // What was seen before this term may be older than the record.
        guard let record else {
            news[device] = sighting
            return
        }
        if hasCaughtUp { news[device] = sighting }
        if index == nil, hasCaughtUp { enqueue(record, at: name.gateway) }
    }

    package mutating func forgetSighting(_ name: DeviceAtGateway) {
        ears[name.device]?.removeAll { $0.gateway == name.gateway }
    }

    /// Sees an order; `nil` for one that can't be read.
    package mutating func see(_ order: Order?, _ name: DeviceAtGateway, _ revision: Revision) {
        if let old = orders[name.device]?[name.gateway], old.revision >= revision { return }
        orders[name.device, default: [:]][name.gateway] = Known(value: order, revision: revision)
        unsettledOrders.insert(name.device)
    }

    package mutating func forgetOrder(_ name: DeviceAtGateway, upTo revision: Revision? = nil) {
        guard let old = orders[name.device]?[name.gateway] else { return }
        if let revision, revision < old.revision { return }
        orders[name.device]?[name.gateway] = nil
        if orders[name.device]?.isEmpty == true { orders[name.device] = nil }
        unsettledOrders.insert(name.device)
    }

    /// Sees a report. One of a gateway that doesn't have the device for this turn is ignored.
    package mutating func see(_ report: Report, _ name: DeviceAtGateway, at now: Uptime) {
        let record = records[name.device]?.value
        let lease = Lease(to: name.gateway, report.turn)
        if let record, record.lease == lease, record.job?.campaign == report.campaign {
            leases[name.device] = now
            if case .working = report.news { return }
            endings[name.device] = (name.gateway, report)
            return
        }
        // A turn that is over may have been its own, and its report late.
        let isLate = record.map {
            report.turn < $0.turn || report.turn == $0.turn && $0.lease == nil
        }
        guard report.news == .succeeded, isLate != true, audits.count < Self.auditsMax else {
            return
        }
        let sentence =
            "\(name.gateway) claims to have updated \(name.device) in turn "
            + "\(report.turn.number), but doesn't have it"
        audits.append(.audit(name.gateway, sentence))
    }

    /// Nothing could be seen for a while, so nobody's silence counts.
    package mutating func forgiveSilence(at now: Uptime) {
        for device in leases.keys { leases[device] = now }
        for gateway in gateways.keys { gateways[gateway]?.heard = now }
    }

    // MARK: - Queues

    private mutating func refillQueues() {
        queues = [:]
        guard campaigns.values.contains(where: { $0.value.phase.isRunning }) else { return }
        for known in records.values { enqueue(known.value, at: nil) }
    }

    /// Puts a device into the queues of the campaigns that it is for, at one gateway that hears it
    /// or at all.
    private mutating func enqueue(_ record: DeviceRecord, at gateway: GatewayID?) {
        guard hasCaughtUp, record.lease == nil else { return }
        let places = gateway.map { [$0] } ?? (ears[record.id] ?? []).map(\.gateway)
        for (id, known) in campaigns where known.value.phase.isRunning {
            guard isCandidate(record, for: known.value.plan) else { continue }
            for place in places {
                queues[id, default: [:]][place, default: DeviceQueue()].append(record.id)
            }
        }
    }

    /// A device belongs to a campaign until that is over, so that its record keeps the outcome as
    /// long as anybody counts it.
    func isCandidate(_ record: DeviceRecord, for plan: CampaignPlan) -> Bool {
        guard plan.awaits(record) else { return false }
        guard let job = record.job else { return true }
        return record.lease == nil && (campaigns[job.campaign]?.value.phase.isOver ?? true)
    }
}

extension CampaignPhase {
    var isRunning: Bool { letsDevicesTry }
}
