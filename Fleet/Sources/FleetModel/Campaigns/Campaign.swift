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
