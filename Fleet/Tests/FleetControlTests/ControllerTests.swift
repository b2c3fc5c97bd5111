import FleetControl
import FleetModel
import FleetStore
import FleetTestSupport
import NATS
import Testing

@Suite("A controller", .enabled(if: TestServer.isThere, "\(TestServer.isMissing)"))
struct ControllerTests {
    @Test("Updates a fleet in stages, each device once, and leaves no order")
    func stages() async throws {
        let site = try await Site()
        let devices = Sample.devices(60)
        let east = site.gateway(Sample.east) { _, _ in .succeeded }
        let west = site.gateway(Sample.west) { _, _ in .succeeded }
        let controller = try await site.controller("one")
        try await east.hear(Array(devices[..<40]))
        try await west.hear(Array(devices[30...]), strength: -50)
        try await site.start(Sample.plan(), devices: 60)
        try await site.awaitPhase(.finished)

        let records = try await site.records()
        #expect(records.count == 60)
        #expect(records.allSatisfy { $0.job?.outcome == .succeeded && $0.turn.number == 1 })
        #expect(records.allSatisfy { $0.version == Sample.new })
        #expect(Set(controller.outcomes).count == 60)
        #expect(controller.outcomes.count == 60)
        // The first stage is 10 %: it was over before the next was given anything.
        let phases = controller.events.compactMap { event -> CampaignPhase? in
            if case .advanced(let campaign) = event { campaign.phase } else { nil }
        }
        #expect(phases == [.running(stage: 1, population: DeviceCount(60)!), .finished])
        try await eventually("no order is left") { try await site.orderCount() == 0 }
        #expect(await controller.end() == nil)
    }

    @Test("Stops a campaign that fails within its stage, and touches no other device")
    func threshold() async throws {
        let site = try await Site()
        let devices = Sample.devices(40)
        let east = site.gateway(Sample.east) { _, _ in
            .failed(Failure(.refused, "wrong hardware"))
        }
        let controller = try await site.controller("one")
        try await east.hear(devices)
        try await site.start(Sample.plan(), devices: 40)
        try await site.awaitPhase(.stopped(.tooManyFailures))
        try await eventually("no order is left") { try await site.orderCount() == 0 }
        // 10 % of 40.
        let touched = try await site.records().filter { $0.turn > .none }
        #expect(touched.count <= 4)
        #expect(Set(east.orders.map(\.device)).count <= 4)
        #expect(await controller.end() == nil)
    }

    @Test("Tries a device again after a failure, as often as the campaign says")
    func retries() async throws {
        let site = try await Site()
        let device = Sample.devices(1)[0]
        let east = site.gateway(Sample.east) { _, order in
            order.turn == Turn(3) ? .succeeded : .failed(Failure(.unreachable, "out of range"))
        }
        let controller = try await site.controller("one")
        try await east.hear([device])
        try await site.start(Sample.plan(attempts: 3), devices: 1)
        try await site.awaitPhase(.finished)
        #expect(east.orders.map(\.order.turn) == [Turn(1), Turn(2), Turn(3)])
        #expect(controller.outcomes == [device])
        #expect(await controller.end() == nil)
    }

    @Test("Lends a device to another gateway when the one that has it is silent")
    func silentGateway() async throws {
        let site = try await Site()
        let device = Sample.devices(1)[0]
        // It hears the device better, so it gets it first.
        let west = site.gateway(Sample.west) { _, _ in nil }
        try await west.hear([device], strength: -40)
        let east = site.gateway(Sample.east) { _, _ in .succeeded }
        try await east.hear([device], strength: -80)
        let controller = try await site.controller("one")
        try await site.start(Sample.plan(), devices: 1)
        try await eventually("west has it") { west.orders.count == 1 }
        try await site.awaitPhase(.finished)
        #expect(west.orders.map(\.order.turn) == [Turn(1)])
        #expect(east.orders.map(\.order.turn) == [Turn(2)])
        // What the first one says now comes too late: nothing changes.
        let before = try await site.store.devices.get(device)
        try await west.report(device, turn: Turn(1), .failed(Failure(.refused, "late")))
        #expect(await controller.end() == nil)
        #expect(try await site.store.devices.get(device).revision == before.revision)
        #expect(before.value.job?.outcome == .succeeded)
    }

    @Test("Ignores a gateway that claims a device it doesn't have, and writes that down")
    func lie() async throws {
        let site = try await Site()
        let device = Sample.devices(1)[0]
        let east = site.gateway(Sample.east) { _, _ in nil }
        let west = site.gateway(Sample.west) { _, _ in nil }
        try await east.hear([device])
        let pace = Pace(dividedBy: 50, silenceMax: .seconds(60))
        let controller = try await site.controller("one", pace: pace)
        try await site.start(Sample.plan(), devices: 1)
        try await eventually("east has it") { east.orders.count == 1 }
        try await west.report(device, turn: Turn(1), .succeeded)
        try await eventually("the lie is written down") {
            try await site.store.connection.state(of: AuditLog.stream).messageCount == 1
        }
        let record = try await site.record(device)
        #expect(record.lease == Lease(to: Sample.east, Turn(1)))
        #expect(record.version == Sample.old)
        // The one that has it is believed.
        try await east.report(device, turn: Turn(1), .succeeded)
        try await site.awaitPhase(.finished)
        #expect(controller.outcomes == [device])
        #expect(await controller.end() == nil)
    }

    @Test("Takes a device back that a gateway returns, which counts as no attempt")
    func returned() async throws {
        let site = try await Site()
        let device = Sample.devices(1)[0]
        let east = site.gateway(Sample.east) { _, order in
            order.turn == Turn(1) ? .returned : .succeeded
        }
        try await east.hear([device])
        let controller = try await site.controller("one")
        try await site.start(Sample.plan(), devices: 1)
        try await site.awaitPhase(.finished)
        #expect(east.orders.map(\.order.turn) == [Turn(1), Turn(2)])
        #expect(await controller.end() == nil)
    }

    @Test("Leaves the devices of a stopped campaign to the next")
    func stop() async throws {
        let site = try await Site()
        let devices = Sample.devices(4)
        let east = site.gateway(Sample.east, places: 1) { _, order in
            order.campaign == Sample.spring ? .failed(Failure(.unreachable, "away")) : .succeeded
        }
        try await east.hear(devices)
        let controller = try await site.controller("one")
        let plan = Sample.plan(stages: [10_000], failuresAllowed: 10_000, attempts: 10)
        try await site.start(plan, devices: 4)
        try await eventually("a device fails") { east.orders.count > 1 }
        var entry = try await site.store.campaigns.get(plan.id)
        var campaign = entry.value
        campaign.handle(.stop)
        try await site.store.campaigns.update(plan.id, campaign, after: entry.revision)
        let autumn = CampaignID("autumn")!
        try await site.start(Sample.plan(autumn, stages: [10_000]), devices: 4)
        try await site.awaitPhase(.finished, autumn)
        entry = try await site.store.campaigns.get(plan.id)
        #expect(entry.value.phase == .stopped(.operator))
        #expect(try await site.records().allSatisfy { $0.job?.campaign == autumn })
        #expect(await controller.end() == nil)
    }

    /// The first device had gone to the next campaign when the second failed, and only one failure
    /// was counted.
    @Test(
        "Counts a device that fails after its campaign was stopped, though another wants the rest"
    )
    func lateFailure() async throws {
        let site = try await Site()
        let devices = Sample.devices(2)
        let east = site.gateway(Sample.east) { device, order in
            if order.campaign != Sample.spring { return .succeeded }
            return device == devices[0] ? .failed(Failure(.unreachable, "away")) : nil
        }
        try await east.hear(devices)
        let controller = try await site.controller("one")
        let autumn = CampaignID("autumn")!
        let plan = Sample.plan(stages: [10_000], failuresAllowed: 0, attempts: 1)
        try await site.start(plan, devices: 2)
        try await eventually("one failed") {
            (try? await site.store.progress.get(plan.id))?.value.counts.failed == DeviceCount(1)
        }
        try await site.start(Sample.plan(autumn, stages: [10_000]), devices: 2)
        try await eventually("the next has been looked at") {
            (try? await site.store.progress.get(autumn)) != nil
        }
        let order = try #require(east.orders.first { $0.device == devices[1] }?.order)
        try await east.report(
            devices[1],
            turn: order.turn,
            .failed(Failure(.unreachable, "away"))
        )
        try await site.awaitPhase(.finished, autumn)
        let counts = try await site.store.progress.get(plan.id).value.counts
        #expect(counts.failed == DeviceCount(2) && counts.given == DeviceCount(2))
        #expect(await controller.end() == nil)
    }

    @Test("Two campaigns for the same devices bring each to the later version, and both end")
    func twoCampaigns() async throws {
        let site = try await Site()
        let devices = Sample.devices(12)
        let east = site.gateway(Sample.east) { _, _ in .succeeded }
        try await east.hear(devices)
        let controller = try await site.controller("one")
        let (autumn, later) = (CampaignID("autumn")!, FirmwareVersion(3, 0, 0))
        try await site.start(Sample.plan(), devices: 12)
        try await site.start(Sample.plan(autumn, version: later), devices: 12)
        for campaign in [Sample.spring, autumn] { try await site.awaitPhase(.finished, campaign) }
        let records = try await site.records()
        #expect(records.allSatisfy { $0.version == later && $0.job?.campaign == autumn })
        // Whoever sees that a campaign is over can see its last counts.
        let counts = try await site.store.progress.get(autumn).value.counts
        #expect(counts.succeeded == DeviceCount(12))
        #expect(counts.failed == .zero && counts.given == counts.ended)
        #expect(await controller.end() == nil)
    }
}
