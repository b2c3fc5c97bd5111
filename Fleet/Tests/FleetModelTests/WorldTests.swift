import Testing

@testable import FleetModel

@Suite("Small fleets, whole")
struct WorldTests {
    private static let rejected = Report.News.failed(Failure(.rejected, "no"))
    private static let refused = Report.News.failed(Failure(.refused, "no"))

    /// Visits every world that can be reached in any order of events, and counts them: another
    /// number means that the rules have changed, or that an order is no longer tried.
    private func explore(
        _ bounds: World.Bounds,
        _ check: (World) -> Bool
    ) -> (count: Int, wrong: World?) {
        let first = World(bounds)
        var seen: Set<World> = [first]
        var unvisited = [first]
        while let world = unvisited.popLast() {
            guard check(world) else { return (seen.count, world) }
            for next in world.next where seen.insert(next).inserted { unvisited.append(next) }
        }
        return (seen.count, nil)
    }

    /// What holds in every world.
    private func isSound(_ world: World) -> Bool {
        let counts = World.counts(world.store)
        let outcomes = world.store.records.map { $0.job?.outcome }
        let ended = outcomes.count { $0 != nil }
        return world.endings.allSatisfy { $0 <= 1 } && outcomes == world.outcomes
            && counts.ended.number == ended
            && world.touched.count <= counts.given.number
            && (world.store.campaign.phase != .finished || world.doneCount == outcomes.count)
            // No campaign waits for ever.
            && (!world.store.campaign.phase.letsDevicesTry || world.doneCount < outcomes.count
                || !world.isAtRest)
            && world.foreignReports.allSatisfy { ignores(world, $0.device, $0.gateway, $0.report) }
    }

    private func ignores(_ world: World, _ device: Int, _ gateway: Int, _ report: Report) -> Bool {
        let record = world.store.records[device]
        var told = record
        let isTaken = told.take(
            report,
            by: Sample.gateways[gateway],
            at: Sample.start,
            for: world.store.campaign.plan
        )
        return !isTaken && told == record
    }

    @Test("With a good image, no device is counted twice, and all may be done")
    func good() {
        var isReached = false
        let bounds = World.Bounds(results: [.succeeded], deviceCount: 3, turnMax: 1)
        let (count, wrong) = explore(bounds) { world in
            isReached = isReached || world.store.campaign.phase == .finished
            return isSound(world) && World.counts(world.store).failed == .zero
        }
        #expect(wrong == nil)
        #expect(isReached)
        #expect(count == 2_209)
    }

    @Test("Devices that come to the version by other means are waited for no longer")
    func otherwise() {
        var counts: Set<Int> = []
        let bounds = World.Bounds(
            results: [.succeeded, Self.refused],
            deviceCount: 2,
            turnMax: 1,
            updatesOtherwise: true
        )
        let (count, wrong) = explore(bounds) { world in
            if world.store.campaign.phase == .finished {
                counts.insert(World.counts(world.store).given.number)
            }
            return isSound(world)
        }
        #expect(wrong == nil)
        #expect(counts == [0, 1, 2])
        #expect(count == 1_033)
    }

    @Test("Two gateways that both believe they have a device are counted once, also if they fail")
    func mixed() {
        var phases: Set<CampaignPhase> = []
        let bounds = World.Bounds(
            results: [.succeeded, Self.refused, .returned],
            deviceCount: 1,
            gatewayCount: 2,
            attempts: 2,
            turnMax: 3
        )
        let (count, wrong) = explore(bounds) { world in
            phases.insert(world.store.campaign.phase)
            return isSound(world)
        }
        #expect(wrong == nil)
        #expect(phases.isSuperset(of: [.finished, .stopped(.tooManyFailures)]))
        #expect(count == 61_804)
    }

    @Test("A bad image stops within the first stage, and touches no more devices than that has")
    func bad() {
        var phases: Set<CampaignPhase> = []
        let bounds = World.Bounds(
            results: [Self.refused, .returned],
            deviceCount: 3,
            gatewayCount: 2,
            attempts: 2,
            turnMax: 3
        )
        let (count, wrong) = explore(bounds) { world in
            phases.insert(world.store.campaign.phase)
            return isSound(world) && world.touched.count <= 1
        }
        #expect(wrong == nil)
        let running = CampaignPhase.running(stage: 0, population: Sample.count(3))
        #expect(phases == [running, .stopped(.tooManyFailures)])
        #expect(count == 15_714)
    }

    @Test("A device that rejects the image at one gateway has failed, also if another retries")
    func rejected() {
        var phases: Set<CampaignPhase> = []
        let bounds = World.Bounds(
            results: [.succeeded, Self.refused, Self.rejected],
            deviceCount: 1,
            gatewayCount: 2,
            attempts: 2,
            turnMax: 2
        )
        let (count, wrong) = explore(bounds) { world in
            phases.insert(world.store.campaign.phase)
            return isSound(world)
        }
        #expect(wrong == nil)
        #expect(phases.isSuperset(of: [.finished, .stopped(.tooManyFailures)]))
        #expect(count == 7_610)
    }

    @Test("A controller that knows only what was counts nothing twice, and changes no outcome")
    func twoControllers() {
        var phases: Set<CampaignPhase> = []
        let bounds = World.Bounds(
            results: [.succeeded, Self.refused],
            deviceCount: 2,
            turnMax: 1,
            hasOldController: true
        )
        let (count, wrong) = explore(bounds) { world in
            phases.insert(world.store.campaign.phase)
            return isSound(world)
        }
        #expect(wrong == nil)
        #expect(phases.isSuperset(of: [.finished, .stopped(.tooManyFailures)]))
        #expect(count == 8_866)
    }
}
