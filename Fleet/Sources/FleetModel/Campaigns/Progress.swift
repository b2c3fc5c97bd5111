/// How far the devices of a campaign are, as the active controller has counted them.
///
/// It is stored beside the campaign, so that nobody else has to read the records of a million
/// devices. It decides nothing: a controller that takes over counts the records anew.
package struct Progress: Sendable, Hashable {
    /// The stage of the last count, from 0.
    package let stage: Int
    /// The devices that were selected at the start.
    package let population: DeviceCount
    package let counts: Tally.Counts
    /// When, by the controller's clock: for people.
    package let moment: Moment

    /// Makes a progress; `nil` if no campaign has such a stage, if more devices are done than were
    /// begun, or if there are more than a fleet has.
    package init?(
        stage: Int,
        population: DeviceCount,
        counts: Tally.Counts,
        at moment: Moment
    ) {
        guard (0..<StagePlan.countMax).contains(stage),
            counts.succeeded.number + counts.failed.number <= counts.given.number,
            DeviceCount(counts.given.number + counts.eligible.number) != nil
        else { return nil }
        self.stage = stage
        self.population = population
        self.counts = counts
        self.moment = moment
    }

    /// What follows from the counts of a campaign, and from what was stored before: a campaign that
    /// is over has no stage any more. `nil` for one that has not begun, also if it was stopped then:
    /// no device knows it.
    package init?(
        of campaign: Campaign,
        _ counts: Tally.Counts,
        after last: Progress?,
        at moment: Moment
    ) {
        var counts = counts
        switch campaign.phase {
        case .ready: return nil
        case .running(let stage, let population), .paused(let stage, let population):
            self.init(stage: stage, population: population, counts: counts, at: moment)
        case .stopped, .finished:
            guard last != nil || counts.given > .zero else { return nil }
            counts.keep(last?.counts ?? .init())
            self.init(
                stage: last?.stage ?? 0,
                population: last?.population ?? counts.given,
                counts: counts,
                at: moment
            )
        }
    }

    /// Whether it says the same, at whatever moment.
    package func isAsGood(as other: Progress) -> Bool {
        stage == other.stage && population == other.population && counts == other.counts
    }
}

extension Tally.Counts {
    /// Nobody counts the devices that are left to a campaign that is over, and a device that a
    /// later campaign takes is no longer among its own. So nothing that was counted goes away.
    fileprivate mutating func keep(_ last: Tally.Counts) {
        given = max(given, last.given)
        succeeded = max(succeeded, last.succeeded)
        failed = max(failed, last.failed)
        eligible = last.eligible
    }
}
