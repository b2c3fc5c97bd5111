/// How far a campaign is.
///
///     ready ──start──▶ running(0) ──stage done──▶ running(1) … ──last stage done──▶ finished
///                        │    ▲
///                      pause resume          too many failures, or stop:
///                        ▼    │              running or paused ──▶ stopped
///                      paused(0)
///
/// It is a value that is stored, read and replaced on condition, so it can be copied. An input that
/// makes no sense in a phase changes nothing: two controllers, or an operator and a controller, may
/// say the same.
package enum CampaignPhase: Sendable, Hashable {
    case ready
    /// The number of the stage, from 0, and of the devices that were selected at the start.
    case running(stage: Int, population: DeviceCount)
    case paused(stage: Int, population: DeviceCount)
    case stopped(StopReason)
    case finished

    package enum StopReason: UInt8, Sendable, Hashable, CaseIterable {
        case tooManyFailures = 1
        case `operator` = 2
    }

    package enum Input: Sendable, Hashable {
        /// Begins, with this many devices. With none, it is finished.
        case start(DeviceCount)
        case pause
        case resume
        case stop
        /// What has become of the devices so far.
        case counted(Tally.Counts)
    }

    package mutating func handle(_ input: Input, of plan: CampaignPlan) {
        switch (self, input) {
        case (.ready, .start(let population)):
            self = population == .zero ? .finished : .running(stage: 0, population: population)
        case (.running(let stage, let population), .pause):
            self = .paused(stage: stage, population: population)
        case (.paused(let stage, let population), .resume):
            self = .running(stage: stage, population: population)
        case (.ready, .stop), (.running, .stop), (.paused, .stop): self = .stopped(.operator)
        case (.running(let stage, let population), .counted(let counts)):
            count(counts, plan, stage, population, isPaused: false)
        // Devices that were under way when an operator paused still fail.
        case (.paused(let stage, let population), .counted(let counts)):
            count(counts, plan, stage, population, isPaused: true)
        case (.ready, _), (.running, _), (.paused, _), (.stopped, _), (.finished, _): break
        }
    }

    private mutating func count(
        _ counts: Tally.Counts,
        _ plan: CampaignPlan,
        _ stage: Int,
        _ population: DeviceCount,
        isPaused: Bool
    ) {
        let target = plan.stages.target(of: stage, in: population)
        if counts.failed > plan.failuresAllowed.roundedDown(of: target) {
            self = .stopped(.tooManyFailures)
        } else if !isPaused, counts.ended >= min(target, counts.reachable) {
            let next = stage + 1
            self =
                next == plan.stages.shares.count
                ? .finished : .running(stage: next, population: population)
            // A stage of a small fleet may be as large as the one before.
            handle(.counted(counts), of: plan)
        }
    }

    /// The number of devices that may be given a job now, beside those that were.
    package func devicesDue(
        _ counts: Tally.Counts,
        of plan: CampaignPlan,
        at now: Moment
    ) -> DeviceCount {
        guard case .running(let stage, let population) = self,
            plan.window?.contains(now) ?? true
        else { return .zero }
        let target = plan.stages.target(of: stage, in: population)
        return DeviceCount(unchecked: max(0, target.number - counts.given.number))
    }

    /// The stage, from 0, and the devices that were selected, while it has them.
    package var progress: (stage: Int, population: DeviceCount)? {
        switch self {
        case .running(let stage, let population), .paused(let stage, let population):
            (stage, population)
        case .ready, .stopped, .finished: nil
        }
    }

    /// Whether nothing more is given, for good.
    package var isOver: Bool {
        switch self {
        case .stopped, .finished: true
        case .ready, .running, .paused: false
        }
    }

    /// Whether a device that has a job may be tried. After a stop, none is tried again.
    package var letsDevicesTry: Bool {
        if case .running = self { true } else { false }
    }
}
