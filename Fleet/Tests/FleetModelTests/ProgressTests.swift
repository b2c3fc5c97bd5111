import Testing

@testable import FleetModel

@Suite("How far a campaign is")
struct ProgressTests {
    private func progress(
        _ campaign: Campaign,
        _ counts: Tally.Counts,
        after last: Progress?
    ) throws -> Progress {
        try #require(Progress(of: campaign, counts, after: last, at: Sample.start))
    }

    @Test("What was counted at the end of a campaign stays, whoever takes its devices afterwards")
    func kept() throws {
        let plan = Sample.plan(failuresAllowed: 10_000)
        for ending in [CampaignPhase.Input.stop, .counted(Sample.counts(given: 10, succeeded: 10))]
        {
            var campaign = Campaign(plan)
            campaign.handle(.start(Sample.count(10)))
            let before = Sample.counts(given: 10, succeeded: 7, failed: 1, eligible: 5)
            let last = try progress(campaign, before, after: nil)
            campaign.handle(ending)
            #expect(campaign.phase.isOver)
            // Two that were under way still end, and then others take them all, one after another.
            var kept = try progress(
                campaign,
                Sample.counts(given: 10, succeeded: 8, failed: 2, eligible: 0),
                after: last
            )
            for given in (0...10).reversed() {
                let left = Sample.counts(
                    given: given,
                    succeeded: min(given, 8),
                    failed: max(0, given - 8),
                    eligible: 0
                )
                kept = try progress(campaign, left, after: kept)
                #expect(kept.counts.given.number == 10 && kept.counts.ended.number == 10)
                #expect(kept.counts.succeeded.number == 8 && kept.counts.eligible.number == 5)
                #expect(kept.stage == last.stage && kept.population.number == 10)
            }
        }
    }

    @Test("A campaign waits for its window, or for devices if none is under way")
    func wait() throws {
        let day = UInt64(86_400)
        let window = try #require(DayWindow(opening: 22 * 60, minutes: 60))
        for window in [nil, window] {
            var campaign = Campaign(Sample.plan(window: window))
            #expect(campaign.wait(nil, at: Sample.start) == nil)
            // 4 in the first stage.
            campaign.handle(.start(Sample.count(40)))
            for (given, succeeded, eligible, due) in [
                (0, 0, 40, 4), (3, 3, 37, 1), (3, 2, 37, 0), (4, 3, 36, 0), (3, 3, 0, 0),
            ] {
                let counts = Sample.counts(given: given, succeeded: succeeded, eligible: eligible)
                let counted = try progress(campaign, counts, after: nil)
                for (seconds, isOpen) in [(day, false), (day + 22 * 3_600, true)] {
                    let isShut = window != nil && !isOpen
                    // What is under way doesn't matter to a window.
                    let isWanted = due > 0 || given == 3 && eligible > 0
                    let wait: CampaignWait? =
                        isShut
                        ? (isWanted ? .window(opening: 22 * 60) : nil)
                        : due > 0 ? .devices(Sample.count(due)) : nil
                    #expect(campaign.wait(counted, at: Sample.at(seconds)) == wait)
                }
                // A controller has hardly begun.
                if window == nil { #expect(campaign.wait(counted, at: Sample.at(9)) == nil) }
                for input in [CampaignPhase.Input.pause, .stop] {
                    var other = campaign
                    other.handle(input)
                    #expect(other.wait(counted, at: Sample.at(day)) == nil)
                }
            }
            let before = campaign.wait(nil, at: Sample.start)
            #expect(before == window.map { .window(opening: $0.opening) })
        }
    }

    /// There was one, so that its name was taken for that of a campaign with outcomes.
    @Test("A campaign that was stopped before it began has no progress")
    func neverBegun() throws {
        var campaign = Campaign(Sample.plan())
        campaign.handle(.stop)
        let none = Sample.counts(given: 0, eligible: 40)
        #expect(campaign.phase == .stopped(.operator))
        #expect(Progress(of: campaign, none, after: nil, at: Sample.start) == nil)
        // One that had begun has some, even if no device was given to it.
        var begun = Campaign(Sample.plan())
        begun.handle(.start(Sample.count(40)))
        let last = try progress(begun, none, after: nil)
        begun.handle(.stop)
        #expect(try progress(begun, none, after: last).population.number == 40)
        _ = try progress(begun, Sample.counts(given: 1), after: nil)
    }

    @Test("While it runs, the counts are those of the records")
    func running() throws {
        var campaign = Campaign(Sample.plan())
        #expect(
            Progress(of: campaign, Sample.counts(given: 0), after: nil, at: Sample.start) == nil
        )
        campaign.handle(.start(Sample.count(40)))
        let many = try progress(campaign, Sample.counts(given: 4, succeeded: 3), after: nil)
        let few = try progress(campaign, Sample.counts(given: 2), after: many)
        #expect(few.counts.given.number == 2 && few.counts.succeeded.number == 0)
    }
}
