package import FleetModel
import HeapModule
package import NATS

extension Planner {
    /// - Parameter stored: when the server stored it, by its clock; `nil` if that isn't known.
    package mutating func see(
        _ record: DeviceRecord,
        _ revision: Revision,
        stored: Moment? = nil,
        at now: Uptime
    ) {
        let device = devices.add(record.id)
        guard devices[device].revision < revision.number else { return }
        devices.setStored(stored, of: device)
        flights.include(device)
        let old = devices[device]
        uncount(old)
        devices.store(record, revision, at: device)
        growEntries()
        count(devices[device])
        if lacksKey(device) { enrolmentQueue.append(device) }
        noteChange(of: device, from: old, at: now)
    }

    /// Somebody deleted a record.
    package mutating func forget(_ name: DeviceID) {
        guard let device = devices.number(of: name), devices[device].hasRecord else { return }
        let old = devices[device]
        uncount(old)
        devices.removeRecord(of: device)
        if let lessee = old.lessee { endLease(of: device, at: lessee) }
        endings[device] = nil
        avoided[device] = nil
        unsettle(device)
    }

    /// Somebody wrote a record that can't be read: the device is left alone until it can be.
    package mutating func exclude(_ device: DeviceID) { flights.exclude(devices.add(device)) }

    private mutating func noteChange(
        of device: DeviceNumber,
        from old: DeviceRow,
        at now: Uptime
    ) {
        let new = devices[device]
        if (old.lessee, old.turn) != (new.lessee, new.turn) {
            if let lessee = old.lessee { endLease(of: device, at: lessee) }
            if let lessee = new.lessee { beginLease(of: device, at: lessee, now) }
            endings[device] = nil
            unsettle(device)
        }
        if new.isWaiting { awaitRetry(of: device) }
        if !new.isBusy { avoided[device] = nil }
        // A device that a gateway still had when its campaign was stopped is free for another now.
        let isBack = old.lessee != nil && new.lessee == nil
        if isBack || old.kind != new.kind { enqueue(device) }
    }

    private mutating func beginLease(
        of device: DeviceNumber,
        at gateway: GatewayNumber,
        _ now: Uptime
    ) {
        gateways[gateway.index].leaseCount += 1
        leases[device] = (now, 0)
        awaitSilence(of: device, until: now + pace.leaseSilenceMax)
    }

    /// Has a lease looked at when it may have been silent for too long.
    mutating func awaitSilence(of device: DeviceNumber, until end: Uptime) {
        leases[device]?.alarm = end.milliseconds
        silences.insert(Alarm(milliseconds: end.milliseconds, device: device))
    }

    private mutating func endLease(of device: DeviceNumber, at gateway: GatewayNumber) {
        gateways[gateway.index].leaseCount -= 1
        leases[device] = nil
        openGateways.insert(gateway)
    }

    /// Has a device looked at when its next attempt may begin.
    mutating func awaitRetry(of device: DeviceNumber) {
        guard hasCaughtUp, devices[device].alarm != DeviceRow.soon else { return }
        devices.setAlarm(DeviceRow.soon, of: device)
        waitingQueue.append(device)
    }

    // MARK: - Counts

    private mutating func uncount(_ row: DeviceRow) { recount(row, isThere: false) }
    private mutating func count(_ row: DeviceRow) { recount(row, isThere: true) }

    private mutating func recount(_ row: DeviceRow, isThere: Bool) {
        func move(_ part: Tally.Part, _ campaign: CampaignNumber) {
            campaigns[campaign.index].counts.move(
                from: isThere ? .none : part,
                to: isThere ? part : .none
            )
            changedCampaigns.insert(campaign)
        }
        if let campaign = row.campaign { move(row.part, campaign) }
        guard hasCaughtUp else { return }
        for campaign in countingCampaigns where isAwaited(row, by: campaign) {
            move(.eligible, campaign)
        }
    }

    /// Whether a campaign is for a device that it has given no job yet.
    private func isAwaited(_ row: DeviceRow, by campaign: CampaignNumber) -> Bool {
        guard row.kind != 0, row.campaign != campaign,
            let plan = campaigns[campaign.index].known?.value.plan
        else { return false }
        return plan.selects(devices.kinds[row.kind])
    }

    /// Counts the devices that a campaign awaits.
    mutating func countEligible(of campaign: CampaignNumber) {
        guard let plan = campaigns[campaign.index].known?.value.plan else { return }
        let selected = devices.selectedKinds(of: plan)
        let number = devices.numbers.count { device in
            let row = devices[device]
            return selected[Int(row.kind)] && row.campaign != campaign
        }
        campaigns[campaign.index].counts.eligible = DeviceCount(number) ?? .zero
        changedCampaigns.insert(campaign)
    }
}

extension CampaignPlan {
    func selects(_ kind: DeviceKind) -> Bool {
        selection.has(kind.hardware, kind.group, kind.version, before: version)
    }
}

extension DeviceTable {
    /// By the number of each kind, whether a campaign is for it; 0 stands for no record.
    func selectedKinds(of plan: CampaignPlan) -> [Bool] {
        (0..<kinds.numberEnd).map { number in
            number != 0 && kinds.value(UInt32(number)).map { plan.selects($0) } ?? false
        }
    }
}
