import FleetControl
import FleetModel
import FleetStore
import FleetTestSupport
import NATS
import Synchronization
import Testing

@Suite("Controllers", .enabled(if: TestServer.isThere, "\(TestServer.isMissing)"))
struct TakeoverTests {
    @Test("One works, and the other takes over when that one leaves; each outcome counts once")
    func leaving() async throws {
        let site = try await Site()
        let devices = Sample.devices(30)
        let east = site.gateway(Sample.east, places: 2) { _, _ in .succeeded }
        try await east.hear(devices)
        let first = try await site.controller("first")
        try await first.awaitActive()
        let second = try await site.controller("second")
        try await eventually("the second waits") {
            second.events.contains(.waiting(for: ControllerID("first")!))
        }
        try await site.start(Sample.plan(), devices: 30)
        // On a busy machine, the first may have been silent for a fiftieth of ten seconds before.
        try await eventually("some devices are updated") {
            first.outcomes.count + second.outcomes.count >= 8
        }
        #expect(await first.end() == nil)
        try await site.awaitPhase(.finished)
        #expect(second.events.contains(.active))
        // A write may have been made by the one whose end kept it from hearing so.
        #expect(Set(first.outcomes).isDisjoint(with: second.outcomes))
        #expect(try await site.records().allSatisfy { $0.job?.outcome == .succeeded })
        try await eventually("no order is left") { try await site.orderCount() == 0 }
        #expect(await second.end() == nil)
    }

    @Test("One that is killed is followed by another, which goes on where it was")
    func killed() async throws {
        let site = try await Site()
        let devices = Sample.devices(20)
        let isOpen = Mutex(false)
        let east = site.gateway(Sample.east, places: 4) { _, order in
            isOpen.withLock { $0 } || order.turn == Turn(1) ? .succeeded : nil
        }
        try await east.hear(devices)
        let process = try ChildProcess(
            [Tool.path, "controller", "--server", site.server.address.description, "--json"],
            output: site.server.folder.path("controller.log"),
            variables: Patience.variables
        )
        try await site.start(Sample.plan(stages: [5_000, 10_000]), devices: 20)
        try await eventually("some devices are updated") { east.orders.count >= 6 }
        process.kill()
        isOpen.withLock { $0 = true }
        // Stray and missing orders are what a controller leaves that dies between two writes.
        let stray = DeviceAtGateway(devices[0], at: Sample.west)
        try await site.store.orders.create(
            stray,
            Order(
                campaign: Sample.spring,
                turn: Turn(9),
                image: Sample.digest,
                version: Sample.new
            )
        )
        let second = try await site.controller("second")
        try await site.awaitPhase(.finished)
        let records = try await site.records()
        #expect(records.count == 20)
        #expect(records.allSatisfy { $0.job?.outcome == .succeeded })
        #expect(Set(second.outcomes).count == second.outcomes.count)
        try await eventually("no order is left") { try await site.orderCount() == 0 }
        #expect(await second.end() == nil)
    }

    /// The record kept the old version for up to ten minutes, and a campaign with a version between
    /// the two made the devices older.
    @Test("What gateways hear while there is no controller is known before a device is lent")
    func heardMeanwhile() async throws {
        let site = try await Site()
        let devices = Sample.devices(20)
        let east = site.gateway(Sample.east) { _, _ in .succeeded }
        try await east.hear(devices)
        let first = try await site.controller("first")
        try await eventually("20 records") { try await site.records().count == 20 }
        #expect(await first.end() == nil)
        try await Task.sleep(for: .milliseconds(Site.pace.newsMargin.milliseconds + 2_000))
        try await east.hear(devices, version: FirmwareVersion(2, 1, 0))
        try await site.start(Sample.plan(), devices: 20)
        let second = try await site.controller("second")
        try await eventually("the new versions are known") {
            try await site.records().allSatisfy { $0.version == FirmwareVersion(2, 1, 0) }
        }
        try await site.awaitPhase(.finished)
        #expect(east.orders.isEmpty)
        #expect(await second.end() == nil)
    }

    @Test("A campaign survives the server's death under it")
    func serverRestart() async throws {
        let site = try await Site()
        let devices = Sample.devices(30)
        let east = site.gateway(Sample.east, places: 2) { _, _ in .succeeded }
        try await east.hear(devices)
        let controller = try await site.controller("one")
        try await site.start(Sample.plan(), devices: 30)
        try await eventually("some devices are updated") { controller.outcomes.count >= 5 }
        site.server.kill()
        try await site.server.start()
        try await site.store.connection.awaitConnected(within: .seconds(30))
        // The fake gateway's last report may not have been written: it answers the next turn.
        try await eventually("the campaign is finished", within: .seconds(60)) {
            (try? await site.phase()) == .finished
        }
        #expect(Set(controller.outcomes).count == controller.outcomes.count)
        #expect(try await site.records().allSatisfy { $0.job?.outcome == .succeeded })
        #expect(await controller.end() == nil)
    }
}
