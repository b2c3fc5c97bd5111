import FleetModel
import FleetText
import Testing

@testable import FleetConsole

@Suite("A campaign in the console")
struct CampaignViewTests {
    private func view(_ campaign: Campaign, ended: Int, failed: Int = 0, given: Int)
        -> CampaignView?
    {
        var view = FleetView()
        view.see(campaign)
        for number in 0..<given {
            let device =
                if number < failed {
                    Sample.device(number, .given, .lent, .failed(Sample.refusal))
                } else if number < ended {
                    Sample.device(number, .given, .lent, .succeeded)
                } else {
                    Sample.device(number, .given, .lent)
                }
            view.see(device)
        }
        return view.campaign(campaign.plan.id)
    }

    @Test("Each stage has the devices that it adds, and devices that ended fill one after another")
    func stages() throws {
        let plan = Sample.plan(stages: [1_000, 5_000, 10_000])
        let running = Sample.campaign(.start(DeviceCount(40)!), plan: plan)
        for ended in 0...4 {
            let campaign = try #require(view(running, ended: ended, given: 4))
            #expect(campaign.stages.map(\.deviceCount) == [4, 16, 20])
            #expect(campaign.stages.map(\.endedCount) == [ended, 0, 0])
            #expect(campaign.stages.map(\.state) == [.current, .later, .later])
            #expect(campaign.deviceCount == 40)
            #expect(campaign.counts[.updating] == 4 - ended)
        }
        var next = running
        var counts = Tally.Counts()
        counts.given = DeviceCount(4)!
        counts.succeeded = DeviceCount(4)!
        counts.eligible = DeviceCount(36)!
        next.handle(.counted(counts))
        let campaign = try #require(view(next, ended: 6, failed: 1, given: 9))
        #expect(campaign.stages.map(\.endedCount) == [4, 2, 0])
        #expect(campaign.stages.map(\.state) == [.done, .current, .later])
        #expect(campaign.counts[.failed] == 1)
        next.handle(.pause)
        #expect(view(next, ended: 6, given: 9)?.stages.map(\.state) == [.done, .current, .later])
    }

    @Test("Before the start nothing is known, and after the end what the controller counted last")
    func unknown() throws {
        let ready = try #require(view(Sample.campaign(), ended: 0, given: 0))
        #expect(ready.deviceCount == 0 && ready.population == nil && ready.stage == nil)
        #expect(ready.stages.map(\.state) == [.later, .later])
        // Nobody has counted: what was begun is what is known.
        let stopped = Sample.campaign(.start(DeviceCount(40)!), .stop)
        let campaign = try #require(view(stopped, ended: 2, failed: 2, given: 4))
        #expect(campaign.deviceCount == 4)
        #expect(campaign.stages.map(\.deviceCount) == [1, 3])
        // A finished one has given a job to every device.
        var finished = Sample.campaign(.start(DeviceCount(4)!))
        finished.handle(.counted(Sample.counts(given: 4, succeeded: 4)))
        #expect(finished.phase == .finished)
        #expect(view(finished, ended: 4, given: 4)?.stages.map(\.endedCount) == [1, 3])
        #expect(view(finished, ended: 4, given: 4)?.stages.map(\.state) == [.done, .done])
    }

    @Test("A stopped campaign shows where it was stopped, also when others have taken its devices")
    func stopped() throws {
        let plan = Sample.plan(stages: [1_000, 5_000, 10_000])
        let stopped = Sample.campaign(.start(DeviceCount(40)!), .stop, plan: plan)
        let counts = Sample.counts(given: 9, succeeded: 5, failed: 1)
        let last = Progress(
            stage: 1,
            population: DeviceCount(40)!,
            counts: counts,
            at: Sample.at(0)
        )
        for (given, ended) in [(9, 6), (3, 1), (0, 0)] {
            var view = FleetView()
            view.see(try #require(last), of: plan.id)
            view.see(stopped)
            for number in 0..<given {
                let device =
                    number < ended
                    ? Sample.device(number, .given, .lent, .succeeded)
                    : Sample.device(number, .given)
                view.see(device)
            }
            let campaign = try #require(view.campaign(plan.id))
            #expect(campaign.population == 40 && campaign.stage == 1)
            #expect(campaign.stages.map(\.state) == [.done, .stopped, .later])
            #expect(campaign.stages.map(\.deviceCount) == [4, 16, 20])
            #expect(campaign.counts.total >= 9 && campaign.counts.ended >= 6)
        }
    }

    @Test("A campaign that waits for devices says so, once time has shown it")
    func waiting() throws {
        var view = FleetView()
        let running = Sample.campaign(.start(DeviceCount(40)!))
        var counts = Sample.counts(given: 3, succeeded: 3)
        counts.eligible = DeviceCount(37)!
        let last = Progress(
            stage: 0,
            population: DeviceCount(40)!,
            counts: counts,
            at: Sample.at(0)
        )
        view.see(running)
        view.see(try #require(last), of: Sample.spring)
        view.look(at: Sample.at(9))
        let revision = view.revision
        #expect(view.campaign(Sample.spring)?.wait == nil)
        view.look(at: Sample.at(10))
        #expect(view.revision == revision + 1)
        let campaign = try #require(view.campaign(Sample.spring))
        #expect(campaign.wait == .devices(DeviceCount(1)!))
        #expect(CampaignCallout(campaign: campaign).html.text.contains("Waits for 1 device in"))
        #expect(campaign.json().description.contains(#""waitsFor":"devices""#))
        view.look(at: Sample.at(11))
        #expect(view.revision == revision + 1)
    }

    @Test("Campaigns that need an operator come first")
    func order() {
        var view = FleetView()
        let start = CampaignPhase.Input.start(DeviceCount(4)!)
        view.see(Sample.campaign(start, .stop, plan: Sample.plan(CampaignID("a")!)))
        view.see(Sample.campaign(plan: Sample.plan(CampaignID("b")!)))
        view.see(Sample.campaign(start, .pause, plan: Sample.plan(CampaignID("c")!)))
        view.see(Sample.campaign(start, plan: Sample.plan(CampaignID("e")!)))
        view.see(Sample.campaign(start, plan: Sample.plan(CampaignID("d")!)))
        #expect(view.allCampaigns().map(\.plan.id.text) == ["d", "e", "c", "b", "a"])
        view.forget(CampaignID("d")!)
        #expect(view.allCampaigns().count == 4)
    }
}
