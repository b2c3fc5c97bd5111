import FleetModel
import FleetStore
import FleetTestSupport
import NATS
import Testing

@Suite(
    "bleota-fleet devices and gateways",
    .enabled(if: TestServer.isThere, "\(TestServer.isMissing)")
)
struct ListTests {
    /// An idle device, one that waits, one that a gateway has, an updated and a failed one.
    private func devices() -> [DeviceRecord] {
        let plan = Sample.plan()
        let now = SystemTime.moment
        let idle = Sample.device("idle", hardware: HardwareName("acme/lock")!)
        var waiting = Sample.device("waiting", group: "hall")
        _ = waiting.assign(plan.id, at: now)
        func lent(_ name: String) -> DeviceRecord {
            var device = Sample.device(name)
            _ = device.assign(plan.id, at: now)
            _ = device.lend(to: Sample.east, at: now, plan.retries)
            return device
        }
        var (updated, failed) = (lent("updated"), lent("failed"))
        let detail = "the device refused the image, because it is for other hardware"
        let why = Report.News.failed(Failure(.refused, detail))
        for (news, isFailed) in [(Report.News.succeeded, false), (why, true)] {
            let report = Report(campaign: plan.id, turn: Turn(1), news)
            if isFailed {
                failed.take(report, by: Sample.east, at: now, for: plan)
            } else {
                updated.take(report, by: Sample.east, at: now, for: plan)
            }
        }
        return [idle, waiting, lent("updating"), updated, failed]
    }

    @Test("Devices are listed within 80 columns, and each filter leaves out the others")
    func filters() async throws {
        let office = try await Office()
        for device in devices() { try await office.add(device) }
        let all = try await office.run("devices")
        #expect(
            all.lines == [
                "DEVICE               HARDWARE         VERSION     STATE",
                "idle                 acme/lock        1.0.0       idle",
                "waiting              acme/lamp        1.0.0       waiting",
                "updating             acme/lamp        1.0.0       updating at east",
                "updated              acme/lamp        2.0.0       updated",
                "failed               acme/lamp        1.0.0       failed: the device refused th…",
            ]
        )
        #expect(all.lines.allSatisfy { $0.count <= 80 })
        let lamps = ["waiting", "updating", "updated", "failed"]
        let rows: [([String], [String])] = [
            (["--state", "idle"], ["idle"]), (["--state", "waiting"], ["waiting"]),
            (["--state", "updating"], ["updating"]), (["--state", "updated"], ["updated"]),
            (["--state", "failed"], ["failed"]), (["--hardware", "acme/lock"], ["idle"]),
            (["--hardware", "lock"], []), (["--group", "hall"], ["waiting"]),
            (["--version", "2.0.0"], ["updated"]), (["--gateway", "east"], ["updating"]),
            (["--gateway", "west"], []), (["--campaign", "spring"], lamps),
            (["--campaign", "spring", "--state", "failed"], ["failed"]),
            (["--campaign", "autumn"], []),
        ]
        for (words, names) in rows {
            let answer = try await office.run(["devices"] + words)
            #expect(answer.code == 0)
            #expect(
                answer.lines.dropFirst().map { $0.prefix { $0 != " " } } == names.map { $0[...] }
            )
            let lines = try await office.run(["devices", "--json"] + words).lines
            #expect(lines.count == names.count)
        }
    }

    @Test("Gateways are listed by name, and those that are silent alone")
    func gateways() async throws {
        let office = try await Office()
        let now = SystemTime.moment.milliseconds
        for (name, age) in [("west", 60_000), ("east", 0)] as [(String, UInt64)] {
            let status = GatewayStatus(
                places: 8,
                program: FirmwareVersion(0, 1, 0),
                beat: 1,
                at: Moment(milliseconds: now - age)!
            )
            try await office.store.gateways.put(GatewayID(name)!, status!)
        }
        let all = try await office.run("gateways")
        #expect(
            all.lines.first
                == "GATEWAY                          PLACES PROGRAM           LAST HEARD"
        )
        let names = all.lines.dropFirst().map { $0.prefix { $0 != " " } }
        #expect(names == ["east", "west"])
        #expect(all.lines.allSatisfy { $0.count <= 80 })
        let silent = try await office.run("gateways", "--silent", "--json")
        #expect(silent.lines.count == 1)
        #expect(silent.text.contains(#""gateway":"west""#))
    }
}
