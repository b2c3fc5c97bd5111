import FleetModel
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

    @Test("What isn't known isn't made up: before the start, and after a stop")
    func unknown() throws {
        let ready = try #require(view(Sample.campaign(), ended: 0, given: 0))
        #expect(ready.deviceCount == 0 && ready.population == nil)
        #expect(ready.stages.map(\.state) == [.later, .later])
        let stopped = Sample.campaign(.start(DeviceCount(40)!), .stop)
        let campaign = try #require(view(stopped, ended: 2, failed: 2, given: 4))
        #expect(campaign.deviceCount == 4)
        #expect(campaign.stages.map(\.deviceCount) == [0, 0])
        // A finished one has given a job to every device.
        var finished = Sample.campaign(.start(DeviceCount(4)!))
        var counts = Tally.Counts()
        counts.given = DeviceCount(4)!
        counts.succeeded = DeviceCount(4)!
        finished.handle(.counted(counts))
        #expect(finished.phase == .finished)
        #expect(view(finished, ended: 4, given: 4)?.stages.map(\.endedCount) == [1, 3])
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
