import FleetModel
import FleetStore
import FleetTestSupport
import NATS
import Testing

@testable import FleetTool

@Suite(
    "bleota-fleet devices forget, gateways forget",
    .enabled(if: TestServer.isThere, "\(TestServer.isMissing)")
)
struct ForgetTests {
    private static let west = GatewayID("west")!
    private static let lamp = Sample.device("lamp")

    /// A device that is idle and one that a gateway has, which two gateways hear, of which one is
    /// silent.
    private func office() async throws -> Office {
        let office = try await Office()
        var busy = Sample.device("busy")
        let now = SystemTime.moment
        let plan = Sample.plan()
        let isGiven = busy.assign(plan.id, at: now)
        let isLent = busy.lend(to: Sample.east, at: now, plan.retries)
        #expect(isGiven && isLent)
        for device in [Self.lamp, busy] {
            try await office.add(device)
            for gateway in [Sample.east, Self.west] {
                try await hear(device, at: gateway, in: office)
            }
        }
        for (gateway, age) in [(Sample.east, 0), (Self.west, 60_000)] as [(GatewayID, UInt64)] {
            let moment = Moment(milliseconds: SystemTime.moment.milliseconds - age)!
            let program = FirmwareVersion(0, 1, 0)
            let status = GatewayStatus(places: 8, program: program, beat: 1, at: moment)!
            try await office.store.gateways.put(gateway, status)
        }
        return office
    }

    private func hear(
        _ device: DeviceRecord,
        at gateway: GatewayID,
        in office: Office
    ) async throws {
        let sighting = Sighting(
            hardware: device.hardware,
            group: nil,
            version: device.version,
            strength: Strength(dBm: -50)!,
            at: SystemTime.moment
        )
        let name = DeviceAtGateway(device.id, at: gateway)
        try await office.store.sightings.put(name, sighting)
        let report = Report(campaign: Sample.spring, turn: Turn(1), .succeeded)
        try await office.store.reports.put(name, report)
    }

    private func sightings(_ office: Office) async throws -> Set<String> {
        var names: Set<String> = []
        try await office.store.sightings.forEach { names.insert($0.name.key.text) }
        // A controller that took over blamed the gateway for its report of a device without a record.
        var reports: Set<String> = []
        try await office.store.reports.forEach { reports.insert($0.name.key.text) }
        #expect(names == reports)
        return names
    }

    @Test("A device is removed with all sightings of it, and nothing else is")
    func device() async throws {
        let office = try await office()
        let answer = try await office.run("devices", "forget", "lamp", "--json")
        #expect(answer.code == 0)
        #expect(answer.text == #"{"event":"forgotten","device":"lamp"}"# + "\n")
        #expect(try await sightings(office) == ["east.busy", "west.busy"])
        let list = try await office.run("devices")
        #expect(list.lines.dropFirst().map { $0.prefix(4) } == ["busy"])
        let audit = try await office.run("audit")
        #expect(audit.text.contains("forgot the device lamp"))
        // A gateway that hears it again writes it again.
        try await hear(Self.lamp, at: Sample.east, in: office)
        try await office.add(Self.lamp)
        #expect(try await office.run("devices").lines.count == 3)
    }

    @Test("Nothing is removed if one of the devices is being updated, or isn't there")
    func refused() async throws {
        let office = try await office()
        for (name, code, sentence) in [
            (
                "busy", 75,
                "busy can't be forgotten yet: east is updating it; run the same command again later."
            ),
            ("lump", 69, "there is no device lump: bleota-fleet devices lists those there are."),
        ] as [(String, Int32, String)] {
            let answer = try await office.run("devices", "forget", "lamp", name)
            #expect(answer.code == code)
            #expect(answer.text == "bleota-fleet: \(sentence)\n")
        }
        #expect(try await sightings(office).count == 4)
        #expect(try await office.run("devices").lines.count == 3)
    }

    @Test("A gateway that is silent is removed with its sightings, and one that speaks is not")
    func gateway() async throws {
        let office = try await office()
        let speaks = try await office.run("gateways", "forget", "west", "east")
        #expect(speaks.code == 64)
        let sentence = "east runs, or did so in the last 45 seconds: stop its program first."
        #expect(speaks.text == "bleota-fleet: \(sentence)\n")
        #expect(try await sightings(office).count == 4)
        let answer = try await office.run("gateways", "forget", "west")
        #expect(answer.code == 0 && answer.text == "west  forgotten\n")
        #expect(try await sightings(office) == ["east.busy", "east.lamp"])
        let left = try await office.run("gateways").lines.dropFirst()
        #expect(left.map { $0.prefix(4) } == ["east"])
        #expect(try await office.run("gateways", "forget", "west").code == 69)
    }
}
