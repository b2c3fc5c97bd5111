package import FleetModel
package import NATS

extension Planner {
    package mutating func see(_ campaign: Campaign, _ revision: Revision) {
        let number = number(of: campaign.plan.id)
        if let old = campaigns[number.index].known, old.revision >= revision { return }
        let old = campaigns[number.index]
        campaigns[number.index].known = Known(value: campaign, revision: revision)
        changedCampaigns.insert(number)
        openAllGateways()
        guard hasCaughtUp else { return }
        if old.known == nil { unsettleOrders(of: number) }
        if old.isRunning != campaigns[number.index].isRunning
            || old.isCounting != campaigns[number.index].isCounting
        {
            begin(number)
        }
    }

    /// A campaign is gone, or can't be read: it gives nothing more.
    package mutating func forget(_ campaign: CampaignID) {
        let number = number(of: campaign)
        guard campaigns[number.index].known != nil else { return }
        campaigns[number.index].known = nil
        campaigns[number.index].isSettled = false
        guard hasCaughtUp else { return }
        unsettleOrders(of: number)
        begin(number)
        release(number)
    }

    /// What gateways are told of a campaign's devices depends on its plan.
    private mutating func unsettleOrders(of campaign: CampaignNumber) {
        for device in leases.keys.sorted() where devices[device].campaign == campaign {
            unsettle(device)
        }
    }

    /// Sees how far a campaign is as it is stored; `nil` for what can't be read.
    package mutating func see(
        _ progress: Progress?,
        of campaign: CampaignID,
        _ revision: Revision
    ) {
        let number = number(of: campaign)
        if let old = campaigns[number.index].progress, old.revision >= revision { return }
        campaigns[number.index].progress = Known(value: progress, revision: revision)
        changedCampaigns.insert(number)
    }

    package mutating func forgetProgress(of campaign: CampaignID, upTo revision: Revision?) {
        let number = number(of: campaign)
        guard let old = campaigns[number.index].progress, old.revision <= revision ?? old.revision
        else {
            return
        }
        campaigns[number.index].progress = nil
        changedCampaigns.insert(number)
    }

    // MARK: - Decisions

    /// Brings each campaign to where the counts are.
    ///
    /// - Returns: the campaigns whose next phase isn't stored yet, which give nothing meanwhile.
    mutating func advanceCampaigns(
        at moment: Moment,
        _ now: Uptime,
        _ writes: inout [Write]
    ) -> Set<CampaignNumber> {
        var halted = flights.campaigns
        for number in changedCampaigns.sorted() where !flights.campaigns.contains(number) {
            guard let known = campaigns[number.index].known else {
                changedCampaigns.remove(number)
                continue
            }
            let next = known.value.counted(campaigns[number.index].counts)
            let isAdvancing = next != known.value
            if isAdvancing { halted.insert(number) }
            // Whoever sees a phase can have seen the counts that led to it.
            let stored = campaigns[number.index].progress?.value?.counts
            if isAdvancing, known.value.counted(stored) == next {
                flights.beginCampaign(number)
                writes.append(.campaign(next, after: known.revision))
            } else {
                writeProgress(of: number, known.value, isAdvancing, at: moment, now, &writes)
            }
        }
        return halted
    }

    private mutating func writeProgress(
        of number: CampaignNumber,
        _ campaign: Campaign,
        _ isUrgent: Bool,
        at moment: Moment,
        _ now: Uptime,
        _ writes: inout [Write]
    ) {
        let last = campaigns[number.index].progress
        let new = Progress(
            of: campaign,
            campaigns[number.index].counts,
            after: last?.value,
            at: moment
        )
        guard let new, last?.value.map({ !new.isAsGood(as: $0) }) ?? true else {
            if !isUrgent { changedCampaigns.remove(number) }
            return settle(number, isOver: campaign.phase.isOver)
        }
        campaigns[number.index].isSettled = false
        guard !flights.progress.contains(number), isUrgent || mayWrite(number, now) else { return }
        campaigns[number.index].progressWritten = now
        flights.beginProgress(of: number)
        writes.append(.progress(campaign.plan.id, new, after: last?.revision))
    }

    /// The counts of a campaign are stored. If one of its devices failed after another had left for
    /// the next campaign, their records would never show both outcomes at a time.
    private mutating func settle(_ number: CampaignNumber, isOver: Bool) {
        let wasSettled = campaigns[number.index].isSettled
        let isSettled =
            isOver && campaigns[number.index].givingCount == 0
            && !leases.keys.contains { devices[$0].campaign == number }
        campaigns[number.index].isSettled = isSettled
        if isSettled, !wasSettled { release(number) }
    }

    private func mayWrite(_ number: CampaignNumber, _ now: Uptime) -> Bool {
        campaigns[number.index].progressWritten.map { $0 + pace.progressInterval <= now } ?? true
    }
}
