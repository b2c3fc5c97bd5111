/// A campaign as it is stored: what is wanted, and how far it is.
package struct Campaign: Sendable, Hashable {
    package let plan: CampaignPlan
    package private(set) var phase: CampaignPhase

    package init(_ plan: CampaignPlan) { self.init(plan, .ready) }

    init(_ plan: CampaignPlan, _ phase: CampaignPhase) {
        self.plan = plan
        self.phase = phase
    }

    /// The campaign after these counts, or the same without any.
    package func counted(_ counts: Tally.Counts?) -> Campaign {
        var campaign = self
        if let counts { campaign.handle(.counted(counts)) }
        return campaign
    }

    package mutating func handle(_ input: CampaignPhase.Input) { phase.handle(input, of: plan) }
}

/// What a campaign waits for that runs and begins no more devices, for people. It decides nothing.
package enum CampaignWait: Sendable, Hashable {
    /// The time of the day at which its window opens, as a minute from 0 to 1,439.
    case window(opening: UInt16)
    /// So many devices of its stage. No gateway that has a free place hears one of them.
    case devices(DeviceCount)

    /// A controller gives a job to a device that is heard within a second or two of the last
    /// count.
    fileprivate static let delay = Span.seconds(10)
}

extension Campaign {
    /// What it waits for, as far as what was counted last tells; `nil` if devices are under way, or
    /// may be in a moment.
    package func wait(_ progress: Progress?, at now: Moment) -> CampaignWait? {
        guard case .running(let stage, let population) = phase else { return nil }
        let window = plan.window.flatMap { $0.contains(now) ? nil : $0 }
        guard let progress else { return window.map { .window(opening: $0.opening) } }
        let counts = progress.counts
        let target = min(plan.stages.target(of: stage, in: population), counts.reachable)
        guard let due = DeviceCount(target.number - counts.given.number), due > .zero else {
            return nil
        }
        if let window { return .window(opening: window.opening) }
        guard counts.given == counts.ended, progress.moment + CampaignWait.delay <= now else {
            return nil
        }
        return .devices(due)
    }
}
