package import FleetModel

/// A campaign with what has become of its devices.
package struct CampaignView: Sendable {
    /// A stage, and how many of the devices that it adds are done.
    package struct Stage: Sendable, Hashable {
        package enum State: String, Sendable {
            case later, current, done
            /// The campaign was stopped in it.
            case stopped
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
    /// The devices that were selected at the start; `nil` before it.
    package let population: Int?
    package let stages: [Stage]
    /// What it waits for, if it runs and begins no more devices.
    package let wait: CampaignWait?

    package var plan: CampaignPlan { campaign.plan }

    /// The devices that the bar of the whole campaign stands for.
    package var deviceCount: Int { max(population ?? 0, counts.total) }

    /// The stage that runs, or in which it was stopped, from 0.
    package var stage: Int? { stages.firstIndex { $0.state == .current || $0.state == .stopped } }

    /// - Parameters:
    ///   - records: what the devices' records say.
    ///   - stored: what the active controller has counted; `nil` if nothing yet.
    init(
        _ campaign: Campaign,
        _ records: StateCounts,
        _ stored: FleetModel.Progress?,
        _ wait: CampaignWait?
    ) {
        self.campaign = campaign
        self.wait = wait
        let progress = FleetModel.Progress(
            of: campaign,
            Tally.Counts(records),
            after: stored,
            at: Self.never
        )
        counts = campaign.phase.isOver ? records.completed(by: progress?.counts) : records
        population = progress?.population.number
        let none = FleetModel.Progress(
            stage: 0,
            population: .zero,
            counts: .init(),
            at: Self.never
        )
        // One that was stopped before it began has no devices, and was in no stage.
        let stage = progress.flatMap { $0.population == .zero ? nil : $0.stage }
        let stages = (progress ?? none)?.stages(of: campaign) ?? []
        self.stages = stages.enumerated().map { index, counted in
            Stage(
                share: counted.share,
                deviceCount: counted.deviceCount.number,
                endedCount: counted.endedCount.number,
                state: Self.state(index, counted, stage, campaign.phase)
            )
        }
    }

    /// Nobody reads when the counts of a view were made.
    private static let never = Moment(milliseconds: 0)!

    private static func state(
        _ index: Int,
        _ stage: StageProgress,
        _ current: Int?,
        _ phase: CampaignPhase
    ) -> Stage.State {
        if stage.isOver { return .done }
        guard index == current else { return .later }
        if case .stopped = phase { return .stopped }
        return .current
    }
}

extension Tally.Counts {
    /// What records say of the devices that have a campaign's job.
    fileprivate init(_ records: StateCounts) {
        self.init()
        given = DeviceCount(records.total) ?? .zero
        succeeded = DeviceCount(records[.updated]) ?? .zero
        failed = DeviceCount(records[.failed]) ?? .zero
    }
}

extension StateCounts {
    /// The records of a campaign that is over, and the devices that later campaigns have taken.
    fileprivate func completed(by counts: Tally.Counts?) -> StateCounts {
        guard let counts else { return self }
        var completed = self
        completed[.updated] = counts.succeeded.number
        completed[.failed] = counts.failed.number
        let rest = counts.given.number - counts.ended.number
        completed[.waiting] = max(0, rest - self[.updating])
        return completed
    }
}

extension FleetView {
    /// A campaign; `nil` if there is none of this name.
    package func campaign(_ id: CampaignID) -> CampaignView? {
        campaigns[id].map { view(of: $0) }
    }

    /// All campaigns: first those that an operator may have to do something about, then by name.
    package func allCampaigns() -> [CampaignView] {
        campaigns.values
            .sorted { left, right in
                let (first, second) = (left.phase.urgency, right.phase.urgency)
                return first == second ? left.plan.id < right.plan.id : first < second
            }
            .map { view(of: $0) }
    }

    private func view(of campaign: Campaign) -> CampaignView {
        let id = campaign.plan.id
        return CampaignView(
            campaign,
            campaignCounts[id] ?? StateCounts(),
            progress[id],
            waits[id]
        )
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
