package import FleetModel
import FleetStore

extension Planner {
    /// What to write now. Each write is under way until ``end(_:)`` is called with it.
    package mutating func decide(at moment: Moment, _ now: Uptime) -> [Write] {
        guard hasCaughtUp else { return [] }
        var writes = audits
        audits = []
        writes += newGateways.map { .feed($0) }
        newGateways = []
        endAttempts(at: moment, &writes)
        endSilentLeases(at: now, &writes)
        takeNews(&writes)
        let halted = advanceCampaigns(at: moment, now, &writes)
        lendWaiting(at: moment, now, halted, &writes)
        for (id, known) in campaigns where known.value.phase.isRunning && !halted.contains(id) {
            giveJobs(of: known.value, at: moment, now, &writes)
        }
        settleOrders(&writes)
        return writes
    }

    /// A write is over: what is on the server now has been seen, if it could be.
    package mutating func end(_ write: Write) {
        flights.end(write)
        switch write {
        case .order(let name, _, _), .withdrawal(let name, _): unsettledOrders.insert(name.device)
        case .record, .campaign, .progress, .audit, .feed: break
        }
    }

    private var hasRoom: Bool { flights.count < Self.flightsMax }

    private mutating func write(_ record: DeviceRecord, _ writes: inout [Write]) {
        let old = records[record.id]
        flights.begin(record, after: old?.value)
        writes.append(.record(record, after: old?.revision))
    }

    // MARK: - Ends of attempts

    private mutating func endAttempts(at moment: Moment, _ writes: inout [Write]) {
        for (device, ending) in endings where hasRoom && !flights.has(device) {
            guard var record = records[device]?.value,
                let plan = campaigns[ending.report.campaign]?.value.plan,
                record.take(ending.report, by: ending.gateway, at: moment, for: plan)
            else {
                endings[device] = nil
                continue
            }
            write(record, &writes)
        }
    }

    private mutating func endSilentLeases(at now: Uptime, _ writes: inout [Write]) {
        for (device, seen) in leases where seen + pace.leaseSilenceMax <= now {
            guard hasRoom, !flights.has(device), endings[device] == nil,
                var record = records[device]?.value, let gateway = record.lease?.gateway
            else { continue }
            record.endLease()
            avoided[device] = gateway
            write(record, &writes)
        }
    }

    // MARK: - What gateways hear

    private mutating func takeNews(_ writes: inout [Write]) {
        for (device, sighting) in news where hasRoom && !flights.has(device) {
            news[device] = nil
            guard var record = records[device]?.value else {
                let new = DeviceRecord(
                    id: device,
                    hardware: sighting.hardware,
                    group: sighting.group,
                    version: sighting.version
                )
                write(new, &writes)
                continue
            }
            let isBusy = record.job != nil && record.job?.outcome == nil
            guard !isBusy, record.hardware == sighting.hardware else { continue }
            let old = record
            record.version = sighting.version
            record.group = sighting.group
            if record != old { write(record, &writes) }
        }
    }

    // MARK: - Campaigns

    /// Brings each campaign to where the counts are.
    ///
    /// - Returns: the campaigns whose next phase isn't stored yet, which give nothing meanwhile.
    private mutating func advanceCampaigns(
        at moment: Moment,
        _ now: Uptime,
        _ writes: inout [Write]
    ) -> Set<CampaignID> {
        var halted = flights.campaigns
        for (id, known) in campaigns where !flights.campaigns.contains(id) {
            let next = known.value.counted(counts[id] ?? .init())
            let isAdvancing = next != known.value
            if isAdvancing { halted.insert(id) }
            // Whoever sees a phase can have seen the counts that led to it.
            if isAdvancing, known.value.counted(progress[id]?.value?.counts) == next {
                flights.beginCampaign(id)
                writes.append(.campaign(next, after: known.revision))
            } else {
                writeProgress(of: known.value, isUrgent: isAdvancing, at: moment, now, &writes)
            }
        }
        return halted
    }

    private mutating func writeProgress(
        of campaign: Campaign,
        isUrgent: Bool,
        at moment: Moment,
        _ now: Uptime,
        _ writes: inout [Write]
    ) {
        let (id, last) = (campaign.plan.id, progress[campaign.plan.id])
        let counts = counts[id] ?? .init()
        guard !flights.progress.contains(id),
            isUrgent || progressWritten[id].map({ $0 + pace.progressInterval <= now }) ?? true,
            let new = Progress(of: campaign, counts, after: last?.value, at: moment),
            last?.value.map({ !new.isAsGood(as: $0) }) ?? true
        else { return }
        progressWritten[id] = now
        flights.beginProgress(of: id)
        writes.append(.progress(id, new, after: last?.revision))
    }

    /// Devices that were tried before come first: each keeps a stage waiting.
    private mutating func lendWaiting(
        at moment: Moment,
        _ now: Uptime,
        _ halted: Set<CampaignID>,
        _ writes: inout [Write]
    ) {
        for device in waiting where hasRoom && !flights.has(device) {
            guard var record = records[device]?.value,
                let campaign = record.job.flatMap({ campaigns[$0.campaign]?.value }),
                campaign.phase.isRunning, !halted.contains(campaign.plan.id),
                record.job?.attemptDue(at: moment, campaign.plan.retries) != nil,
                let gateway = bestPlace(for: device, at: now),
                record.lend(to: gateway, at: moment, campaign.plan.retries)
            else { continue }
            write(record, &writes)
        }
    }

    /// Gives jobs to devices that a gateway can take at once, as many as the stage still has.
    private mutating func giveJobs(
        of campaign: Campaign,
        at moment: Moment,
        _ now: Uptime,
        _ writes: inout [Write]
    ) {
        let plan = campaign.plan
        let counts = counts[plan.id] ?? .init()
        var due =
            campaign.phase.devicesDue(counts, of: plan, at: moment).number
            - flights.given(by: plan.id)
        guard due > 0, let places = queues[plan.id]?.keys else { return }
        for place in Array(places) {
            var busy: [DeviceID] = []
            while due > 0, hasRoom, hasPlace(place, at: now),
                let device = queues[plan.id]?[place]?.popFirst()
            {
                if flights.has(device) {
                    busy.append(device)
                } else if give(device, a: plan, at: moment, now, &writes) {
                    due -= 1
                }
            }
            for device in busy { queues[plan.id]?[place]?.append(device) }
        }
    }

    private mutating func give(
        _ device: DeviceID,
        a plan: CampaignPlan,
        at moment: Moment,
        _ now: Uptime,
        _ writes: inout [Write]
    ) -> Bool {
        guard var record = records[device]?.value, isCandidate(record, for: plan),
            let gateway = bestPlace(for: device, at: now),
            record.assign(plan.id, at: moment, isFree: true),
            record.lend(to: gateway, at: moment, plan.retries)
        else { return false }
        write(record, &writes)
        return true
    }

    // MARK: - Places

    private func hasPlace(_ gateway: GatewayID, at now: Uptime) -> Bool {
        guard let known = gateways[gateway], now < known.heard + pace.gatewaySilenceMax else {
            return false
        }
        return (leaseCounts[gateway] ?? 0) + flights.lent(to: gateway) < known.status.places
    }

    /// The gateway with a free place that hears a device best. One that was silent about it comes
    /// last.
    private func bestPlace(for device: DeviceID, at now: Uptime) -> GatewayID? {
        let avoided = avoided[device]
        func worth(_ ear: Ear) -> (Int, Strength) { (ear.gateway == avoided ? 0 : 1, ear.strength) }
        return ears[device]?.filter { hasPlace($0.gateway, at: now) }
            .max { worth($0) < worth($1) }?.gateway
    }

    // MARK: - Orders

    /// Makes the orders what the records say, one write for each device at a time.
    private mutating func settleOrders(_ writes: inout [Write]) {
        for device in unsettledOrders where hasRoom && !flights.orders.contains(device) {
            unsettledOrders.remove(device)
            guard let write = orderWrite(device) else { continue }
            flights.beginOrders(of: device)
            writes.append(write)
        }
    }

    private func orderWrite(_ device: DeviceID) -> Write? {
        let record = records[device]?.value
        let plan = record?.job.flatMap { campaigns[$0.campaign]?.value.plan }
        let wanted = plan.flatMap { record?.order(for: $0) }
        let lessee = wanted == nil ? nil : record?.lease?.gateway
        let present = orders[device] ?? [:]
        // The former gateway is told first.
        if let (gateway, known) = present.first(where: { $0.key != lessee }) {
            return .withdrawal(DeviceAtGateway(device, at: gateway), after: known.revision)
        }
        guard let wanted, let lessee, present[lessee]?.value != wanted else { return nil }
        let revision = present[lessee]?.revision
        return .order(DeviceAtGateway(device, at: lessee), wanted, after: revision)
    }
}
