import FleetControl
import FleetModel
import FleetSetup
import FleetStore
import FleetTestSupport
import NATS
import Synchronization
import Testing

@Suite(
    "A gateway that lies to controllers",
    .enabled(if: TestServer.isThere, "\(TestServer.isMissing)"),
    .timeLimit(.minutes(3))
)
struct LiarTests {
    private static let east = SecuredFleet.gateways[0]
    private static let west = SecuredFleet.gateways[1]

    @Test("Gets no device, no outcome and no turn that isn't its own, and that is written down")
    func claims() async throws {
        let fleet = try await SecuredFleet()
        let op = try await fleet.store(.operator)
        let (east, west) = (
            try await fleet.store(.gateway(Self.east)), try await fleet.store(.gateway(Self.west))
        )
        let controller = try await RunningController(fleet)
        try await west.gateways.create(Self.west, Sample.status)
        try await west.sightings.create(
            DeviceAtGateway(Sample.lamp, at: Self.west),
            Sample.sighting
        )
        try await eventually("the lamp has a record") {
            (try? await op.devices.get(Sample.lamp)) != nil
        }
        var campaign = Campaign(Sample.plan())
        campaign.handle(.start(DeviceCount(1)!))
        try await op.campaigns.create(Sample.spring, campaign)
        let feed = try await west.orderFeed(of: Self.west)
        try await eventually("west has the lamp") {
            try await !feed.next(within: .seconds(1)).isEmpty
        }

        // East never had it. West says what it would have said of an earlier turn.
        let name = DeviceAtGateway(Sample.lamp, at: Self.east)
        try await east.reports.create(name, Sample.report(1, .succeeded))
        try await eventually("it is written down") {
            try await op.connection.state(of: AuditLog.stream).messageCount == 1
        }
        let old = DeviceAtGateway(Sample.lamp, at: Self.west)
        try await west.reports.put(old, Sample.report(0, .succeeded))
        try await east.reports.put(name, Sample.report(1, .failed(Failure(.refused, "no"))))
        try await east.reports.put(name, Sample.report(2, .succeeded))
        try await eventually("the second claim is written down") {
            try await op.connection.state(of: AuditLog.stream).messageCount == 2
        }
        let record = try await op.devices.get(Sample.lamp).value
        #expect(record.lease == Lease(to: Self.west, Turn(1)))
        #expect(record.job?.outcome == nil && record.version == Sample.old)

        // West is believed, of the turn that it has.
        try await west.reports.put(old, Sample.report(1, .succeeded))
        try await eventually("the campaign is finished") {
            try await op.campaigns.get(Sample.spring).value.phase == .finished
        }
        // What is repeated later changes nothing.
        let before = try await op.devices.get(Sample.lamp)
        try await west.reports.put(old, Sample.report(0, .succeeded))
        try await west.reports.put(old, Sample.report(1, .failed(Failure(.refused, "no"))))
        // A later claim is written down when these have been seen.
        try await east.reports.put(name, Sample.report(9, .succeeded))
        try await eventually("the third claim is written down") {
            try await op.connection.state(of: AuditLog.stream).messageCount == 3
        }
        #expect(await controller.end() == nil)
        #expect(try await op.devices.get(Sample.lamp).revision == before.revision)
        #expect(before.value.job?.outcome == .succeeded)
        #expect(controller.lies == [Self.east, Self.east, Self.east])
    }

    @Test("Is believed so many devices and no more, and others are served all the same")
    func flood() async throws {
        let fleet = try await SecuredFleet()
        let op = try await fleet.store(.operator)
        let west = try await fleet.store(.gateway(Self.west))
        let controller = try await RunningController(fleet, devicesPerGateway: 200)
        let raw = try fleet.raw(.gateway(Self.east))
        let sighting = Sighting(
            hardware: HardwareName("ghost")!,
            version: Sample.old,
            strength: Strength(dBm: -60)!,
            at: Sample.start
        ).bytes
        for number in 0..<2_000 {
            raw.publish("$KV.fleet-sightings.east.ghost-\(number)", sighting)
        }

        try await west.gateways.create(Self.west, Sample.status)
        try await west.sightings.create(
            DeviceAtGateway(Sample.lamp, at: Self.west),
            Sample.sighting
        )
        try await eventually("the lamp and 200 ghosts have records") {
            let keys = try await Self.devices(op)
            return keys.contains(Sample.lamp.key) && keys.count >= 201
        }
        try await eventually("it is written down") {
            try await op.connection.state(of: AuditLog.stream).messageCount == 1
        }
        // Those that it takes back aren't replaced by others.
        for number in 0..<100 {
            raw.publish(
                "$KV.fleet-sightings.east.ghost-\(number)",
                [],
                headers: [("KV-Operation", "DEL")]
            )
            raw.publish("$KV.fleet-sightings.east.spirit-\(number)", sighting)
        }
        guard case .answered = try raw.request("$KV.fleet-sightings.east.last", sighting) else {
            Issue.record("the last sighting isn't stored")
            return
        }
        // West's device is updated as if nothing was.
        var campaign = Campaign(Sample.plan())
        campaign.handle(.start(DeviceCount(1)!))
        try await op.campaigns.create(Sample.spring, campaign)
        let feed = try await west.orderFeed(of: Self.west)
        try await eventually("west has the lamp") {
            try await !feed.next(within: .seconds(1)).isEmpty
        }
        let name = DeviceAtGateway(Sample.lamp, at: Self.west)
        try await west.reports.put(name, Sample.report(1, .succeeded))
        try await eventually("the campaign is finished") {
            try await op.campaigns.get(Sample.spring).value.phase == .finished
        }
        #expect(try await Self.devices(op).count == 201)
        #expect(controller.lies == [Self.east])
        #expect(await controller.end() == nil)
    }

    private static func devices(_ store: FleetStore) async throws -> Set<Key> {
        try await store.connection.bucket(FleetStore.Part.devices.bucket).keys()
    }
}

/// A controller with a key of its own, 20 times as fast as a real one, except that it waits for
/// gateways for as long.
final class RunningController: Sendable {
    private let task: Task<ControllerError?, Never>
    private let log: Log

    private final class Log: Sendable {
        let lies = Mutex<[GatewayID]>([])
    }

    init(_ fleet: SecuredFleet, devicesPerGateway: Int = HeardCounts.usualMax) async throws {
        let pace = Pace(dividedBy: 20, silenceMax: .seconds(60))
        let log = Log()
        self.log = log
        let controller = Controller(
            ControllerID("one")!,
            store: try await fleet.store(.controller),
            pace: pace,
            devicesPerGateway: devicesPerGateway
        ) { event in
            if case .lied(let gateway, _) = event { log.lies.withLock { $0.append(gateway) } }
        }
        task = Task {
            do throws(ControllerError) {
                try await controller.run()
                return nil
            } catch {
                return error
            }
        }
    }

    deinit { task.cancel() }

    /// The gateways of which it wrote that they claim what isn't so, each time.
    var lies: [GatewayID] { log.lies.withLock { $0 } }

    /// Ends it, and returns why it failed before.
    func end() async -> ControllerError? {
        task.cancel()
        return await task.value
    }
}
