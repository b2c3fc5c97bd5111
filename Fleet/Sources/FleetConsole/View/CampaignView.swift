package import FleetModel

/// A campaign with what has become of its devices.
package struct CampaignView: Sendable {
    /// A stage, and how many of the devices that it adds are done.
    package struct Stage: Sendable, Hashable {
        package enum State: String, Sendable {
            case later, current, done
        }

        package let share: Share
        /// The devices that the stage adds to the one before.
        package let deviceCount: Int
        package let endedCount: Int
        package let state: State
    }

    /// A reason for which devices failed.
    package struct FailureGroup: Sendable, Hashable {
        package let campaign: CampaignID
        package let failure: Failure
        package let deviceCount: Int
    }

    package let campaign: Campaign
    /// The devices that were given a job, by what has become of them.
    package let counts: StateCounts
    /// The devices that were selected at the start; `nil` before it, and after the end, when those
    /// that were given a job are what is known.
    package let population: Int?
    package let stages: [Stage]

    package var plan: CampaignPlan { campaign.plan }

    /// The devices that the bar of the whole campaign stands for.
    package var deviceCount: Int { max(population ?? 0, counts.total) }

    init(_ campaign: Campaign, _ counts: StateCounts) {
        self.campaign = campaign
        self.counts = counts
        let progress = campaign.phase.progress
        population = progress?.population.number
        stages = Self.stages(campaign, counts, progress)
    }

    private static func stages(
        _ campaign: Campaign,
        _ counts: StateCounts,
        _ progress: (stage: Int, population: DeviceCount)?
    ) -> [Stage] {
        let plan = campaign.plan.stages
        // A campaign states the number of its devices while it runs. When it has finished, each
        // of these devices has had a job. The number for a stopped campaign is unknown.
        let known =
            progress?.population
            ?? (campaign.phase == .finished ? DeviceCount(counts.total) : nil)
        var before = 0
        return plan.shares.indices.map { index in
            guard let known else {
                return Stage(
                    share: plan.shares[index],
                    deviceCount: 0,
                    endedCount: 0,
                    state: .later
                )
            }
            let target = plan.target(of: index, in: known).number
            let size = target - before
            let ended = min(max(counts.ended - before, 0), size)
            before = target
            let state: Stage.State =
                if let progress {
                    index < progress.stage ? .done : index == progress.stage ? .current : .later
                } else { .done }
            return Stage(
                share: plan.shares[index],
                deviceCount: size,
                endedCount: ended,
                state: state
            )
        }
    }
}

extension CampaignPhase {
    /// The stage, from 0, and the devices that were selected, while it has them.
    var progress: (stage: Int, population: DeviceCount)? {
        switch self {
        case .running(let stage, let population), .paused(let stage, let population):
            (stage, population)
        case .ready, .stopped, .finished: nil
        }
    }
}

extension FleetView {
    /// A campaign; `nil` if there is none of this name.
    package func campaign(_ id: CampaignID) -> CampaignView? {
        campaigns[id].map { CampaignView($0, campaignCounts[id] ?? StateCounts()) }
    }

    /// All campaigns: first those that an operator may have to do something about, then by name.
    package func allCampaigns() -> [CampaignView] {
        campaigns.values
            .sorted { left, right in
                let (first, second) = (left.phase.urgency, right.phase.urgency)
                return first == second ? left.plan.id < right.plan.id : first < second
            }
            .map { CampaignView($0, campaignCounts[$0.plan.id] ?? StateCounts()) }
    }

    /// Why devices failed, the most frequent reason first.
    ///
    /// - Parameter campaign: `nil` for all.
    package func failures(of campaign: CampaignID? = nil) -> [CampaignView.FailureGroup] {
        reasons.lazy
            .filter { campaign == nil || $0.key.campaign == campaign }
            .map {
                CampaignView.FailureGroup(
                    campaign: $0.key.campaign,
                    failure: $0.key.failure,
                    deviceCount: $0.value
                )
            }
            .sorted { left, right in
                if left.deviceCount != right.deviceCount {
                    return left.deviceCount > right.deviceCount
                }
                return (left.campaign.text, left.failure.detail)
                    < (right.campaign.text, right.failure.detail)
            }
    }
}

extension CampaignPhase {
    fileprivate var urgency: Int {
        switch self {
        case .running: 0
        case .paused: 1
        case .stopped(.tooManyFailures): 2
        case .ready: 3
        case .stopped(.operator): 4
        case .finished: 5
        }
    }
}
