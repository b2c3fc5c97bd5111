import Testing

@testable import FleetModel

@Suite("Small fleets, whole")
struct WorldTests {
    /// Visits every world that can be reached in any order of events, and counts them: another
    /// number means that the rules have changed, or that an order is no longer tried.
    private func explore(_ first: World, _ check: (World) -> Bool) -> (count: Int, wrong: World?) {
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
        let (phase, counts) = (world.campaign.phase, world.counts)
        let ended = world.records.count { $0.job?.outcome != nil }
        return world.endings.allSatisfy { $0 <= 1 }
            && counts.ended.number == world.endings.reduce(0, +)
            && counts.ended.number == ended
            && (0..<world.deviceCount).allSatisfy { world.holders(of: $0) <= 1 }
            && world.touched.count <= counts.given.number
            && (phase != .finished || ended == world.deviceCount)
    }

    @Test("With a good image, no device is counted twice or leased twice, and all may be done")
    func good() {
        var isReached = false
        let (count, wrong) = explore(World(results: [true], deviceCount: 3, attempts: 1)) { world in
            isReached = isReached || world.campaign.phase == .finished
            return isSound(world) && world.counts.failed == .zero
        }
        #expect(wrong == nil)
        #expect(isReached)
        #expect(count == 27_276)
    }

    @Test("An image that is bad for some devices is counted just as well")
    func mixed() {
        var phases: Set<CampaignPhase> = []
        let first = World(results: [true, false], deviceCount: 2, attempts: 2)
        let (count, wrong) = explore(first) { world in
            phases.insert(world.campaign.phase)
            return isSound(world)
        }
        #expect(wrong == nil)
        #expect(phases.isSuperset(of: [.finished, .stopped(.tooManyFailures)]))
        #expect(count == 3_310)
    }

    @Test("A bad image stops within the first stage, and touches no more devices than that has")
    func bad() {
        var phases: Set<CampaignPhase> = []
        let first = World(results: [false], deviceCount: 3, attempts: 2)
        let (count, wrong) = explore(first) { world in
            phases.insert(world.campaign.phase)
            return isSound(world) && world.touched.count <= 1
        }
        #expect(wrong == nil)
        let running = CampaignPhase.running(stage: 0, population: Sample.count(3))
        #expect(phases == [running, .stopped(.tooManyFailures)])
        #expect(count == 289)
    }
}
