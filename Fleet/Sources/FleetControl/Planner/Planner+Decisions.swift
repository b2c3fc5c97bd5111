import DequeModule
package import FleetModel
import FleetStore
import HeapModule
import NATS

extension Planner {
    /// What to write now. Each write is under way until ``end(_:)`` is called with it.
    package mutating func decide(at moment: Moment, _ now: Uptime) -> [Write] {
        guard hasCaughtUp else { return [] }
        var writes: [Write] = newGateways.map { .feed($0) }
        newGateways = []
        // A receipt is judged by the key that was enrolled last.
        takeEnrolments(&writes)
        endAttempts(at: moment, &writes)
        writes += audits
        audits = []
        endSilentLeases(at: now, &writes)
        let halted = advanceCampaigns(at: moment, now, &writes)
        takeRetries(at: moment)
        if earlyNewsCount == 0 { fillPlaces(at: moment, now, halted, &writes) }
        settleOrders(&writes)
        takeNews(&writes)
        return writes
    }

    /// A write is over: what is on the server now has been seen, if it could be.
    package mutating func end(_ write: Write) {
        switch write {
        case .record(let record, _): endRecord(of: record.id)
        case .campaign(let campaign, _):
            let number = number(of: campaign.plan.id)
            flights.endCampaign(number)
            changedCampaigns.insert(number)
            openAllGateways()
        case .progress(let campaign, _, _):
            let number = number(of: campaign)
            flights.endProgress(of: number)
            changedCampaigns.insert(number)
        case .order(let name, _, _), .withdrawal(let name, _):
            let device = devices.add(name.device)
            flights.endOrders(of: device)
            unsettle(device)
        case .audit, .feed: break
        }
    }

    private mutating func endRecord(of name: DeviceID) {
        let device = devices.add(name)
        guard let claim = flights.end(device) else { return }
        if let lessee = claim.lessee {
            gateways[lessee.index].lendingCount -= 1
            openGateways.insert(lessee)
        }
        if let campaign = claim.campaign {
            campaigns[campaign.index].givingCount -= 1
            changedCampaigns.insert(campaign)
        }
        // What came out of its queue meanwhile.
        if lacksKey(device) { enrolmentQueue.append(device) }
        if endings[device] != nil { endingQueue.append(device) }
        if devices[device].heardKind != 0 { newsQueue.append(device) }
        if devices[device].isWaiting { awaitRetry(of: device) }
        enqueue(device)
    }

    mutating func write(_ record: DeviceRecord, _ device: DeviceNumber, _ writes: inout [Write]) {
        let old = devices[device]
        let lessee = record.lease.map { number(of: $0.gateway) }
        let campaign = record.job.map { number(of: $0.campaign) }
        let claim = Flights.Claim(
            lessee: lessee == old.lessee ? nil : lessee,
            campaign: campaign == old.campaign ? nil : campaign
        )
        if let lessee = claim.lessee { gateways[lessee.index].lendingCount += 1 }
        if let campaign = claim.campaign { campaigns[campaign.index].givingCount += 1 }
        flights.begin(device, claim)
        writes.append(.record(record, after: Revision(old.revision)))
    }

    // MARK: - Attempts

    /// Puts devices whose next attempt may begin into the queues of the gateways that hear them.
    private mutating func takeRetries(at moment: Moment) {
        // A clock that was set back may make a pause longer than it ever was.
        let end = moment < lastMoment ? .max : moment.milliseconds
        lastMoment = moment
        while let first = retries.min, first.milliseconds <= end {
            let device = retries.removeMin().device
            if devices[device].alarm == first.milliseconds { awaitRetry(of: device) }
        }
        while let device = waitingQueue.popFirst() {
            devices.setAlarm(0, of: device)
            let row = devices[device]
            guard row.isWaiting, let campaign = row.campaign,
                let plan = campaigns[campaign.index].known?.value.plan
            else { continue }
            if devices.job(of: row)?.attemptDue(at: moment, plan.retries) == nil {
                devices.setAlarm(row.notBefore, of: device)
                retries.insert(Alarm(milliseconds: row.notBefore, device: device))
                continue
            }
            for ear in ears.ears(from: row.ears) {
                gateways[ear.gateway.index].retries.append(device)
                openGateways.insert(ear.gateway)
            }
        }
    }

    /// Gives gateways with places devices. Those that were tried before come first: each keeps a
    /// stage waiting.
    private mutating func fillPlaces(
        at moment: Moment,
        _ now: Uptime,
        _ halted: Set<CampaignNumber>,
        _ writes: inout [Write]
    ) {
        var due: [(campaign: CampaignNumber, count: Int)] = []
        for campaign in countingCampaigns.sorted() {
            let count = halted.contains(campaign) ? 0 : devicesDue(campaign, at: moment)
            if count > 0, !campaigns[campaign.index].wasGiving { openAllGateways() }
            due.append((campaign, max(0, count)))
        }
        for gateway in openGateways.sorted() where hasRoom {
            lend(to: gateway, at: moment, now, halted, &writes)
            for index in due.indices {
                give(due[index].campaign, &due[index].count, gateway, at: moment, now, &writes)
            }
            // Whatever changes that puts it here again.
            if hasRoom { openGateways.remove(gateway) }
        }
        for (campaign, left) in due { campaigns[campaign.index].wasGiving = left > 0 }
    }

    private func devicesDue(_ campaign: CampaignNumber, at moment: Moment) -> Int {
        guard let value = campaigns[campaign.index].known?.value else { return 0 }
        let due = value.phase.devicesDue(
            campaigns[campaign.index].counts,
            of: value.plan,
            at: moment
        )
        return due.number - campaigns[campaign.index].givingCount
    }

    private mutating func lend(
        to gateway: GatewayNumber,
        at moment: Moment,
        _ now: Uptime,
        _ halted: Set<CampaignNumber>,
        _ writes: inout [Write]
    ) {
        var later: [DeviceNumber] = []
        while hasRoom, hasPlace(gateway, at: now),
            let device = gateways[gateway.index].retries.popFirst()
        {
            // What is under way comes back when it is over; the devices of a campaign that is
            // paused, when it goes on.
            guard devices[device].isWaiting, !flights.has(device),
                let campaign = devices[device].campaign, campaigns[campaign.index].isRunning,
                let plan = campaigns[campaign.index].known?.value.plan
            else { continue }
            guard !halted.contains(campaign) else {
                later.append(device)
                continue
            }
            guard var record = devices.record(of: device)?.value,
                let place = bestPlace(for: device, at: now)
            else { continue }
            if lend(&record, to: place, at: moment, for: plan) {
                write(record, device, &writes)
            } else {
                // It has been tried since.
                awaitRetry(of: device)
            }
        }
        gateways[gateway.index].retries.append(contentsOf: later)
    }

    /// Gives jobs to devices that a gateway can take at once, as many as the stage still has.
    private mutating func give(
        _ campaign: CampaignNumber,
        _ due: inout Int,
        _ gateway: GatewayNumber,
        at moment: Moment,
        _ now: Uptime,
        _ writes: inout [Write]
    ) {
        guard let plan = campaigns[campaign.index].known?.value.plan else { return }
        while due > 0, hasRoom, hasPlace(gateway, at: now),
            let device = campaigns[campaign.index].queues[gateway]?.popFirst()
        {
            // What is under way comes back when it is over.
            guard !flights.has(device), isCandidate(device, for: campaign),
                var record = devices.record(of: device)?.value,
                let place = bestPlace(for: device, at: now),
                record.assign(devices.campaigns[campaign], at: moment, isFree: true),
                lend(&record, to: place, at: moment, for: plan)
            else { continue }
            due -= 1
            write(record, device, &writes)
        }
    }

    private func lend(
        _ record: inout DeviceRecord,
        to gateway: GatewayNumber,
        at moment: Moment,
        for plan: CampaignPlan
    ) -> Bool {
        let nonce = record.needsReceipt(for: plan) ? newNonce() : nil
        return record.lend(to: devices.gateways[gateway], at: moment, plan.retries, nonce: nonce)
    }
}
