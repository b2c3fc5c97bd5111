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
        let why = Report.News.failed(Failure(.refused, Self.detail))
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

    /// It was cut after "the device refused th".
    @Test("In a terminal, a reason that is too long for its line follows in lines of its own")
    func reason() async throws {
        let office = try await Office()
        for device in devices() { try await office.add(device) }
        let words = ["devices", "--state", "failed"]
        for (columns, reason) in [
            (80, ["  " + Self.detail]),
            (50, ["  the device refused the image, because it is for", "  other hardware"]),
        ] as [(UInt16, [String])] {
            let terminal = try Terminal(columns: columns, rows: 24)
            #expect(try await office.start(words, output: terminal.path).end() == 0)
            let start = "failed               acme/lamp        1.0.0       failed:"
            #expect(Array(terminal.screen.dropFirst()) == [start] + reason)
        }
        let wide = try Terminal(columns: 200, rows: 24)
        #expect(try await office.start(words, output: wide.path).end() == 0)
        #expect(wide.text.hasSuffix("failed: \(Self.detail)\r\n"))
    }

    @Test("The reason of a failure stays in the device's history after a later success")
    func history() async throws {
        let office = try await Office()
        let later = Sample.plan(CampaignID("summer")!)
        for device in devices() where device.id.text == "failed" {
            try await office.add(device)
            var device = device
            let now = SystemTime.moment
            let isGiven = device.assign(later.id, at: now)
            let isLent = device.lend(to: Sample.east, at: now, later.retries)
            #expect(isGiven && isLent)
            try await office.add(device)
            let report = Report(campaign: later.id, turn: Turn(2), .succeeded)
            device.take(report, by: Sample.east, at: now, for: later)
            try await office.add(device)
        }
        let list = try await office.run("devices", "--campaign", "spring")
        #expect(list.lines.count == 1)
        let answer = try await office.run("devices", "history", "failed")
        #expect(answer.code == 0)
        #expect(
            answer.lines.map { $0.dropFirst(20) } == [
                "updated to 2.0.0", "lent to east", "given a job of summer",
                "failed: \(Self.detail)", "failed, version 1.0.0",
            ]
        )
        let lines = try await office.run("devices", "history", "failed", "--json").lines
        #expect(lines.count == 5)
        #expect(lines[3].contains(#""detail":"\#(Self.detail)""#))
        #expect(try await office.run("devices", "history", "none").code == 69)
    }

    @Test("Between two attempts, the list and the history say why the one before failed")
    func attempts() async throws {
        let office = try await Office()
        let plan = Sample.plan(attempts: 2)
        for device in devices() where device.id.text == "updating" {
            try await office.add(device)
            var device = device
            let why = Report.News.failed(Failure(.refused, Self.detail))
            let report = Report(campaign: plan.id, turn: Turn(1), why)
            device.take(report, by: Sample.east, at: SystemTime.moment, for: plan)
            try await office.add(device)
            let list = try await office.run("devices").lines.last
            #expect(list?.hasSuffix("waiting for attempt 2: \(Self.detail)") == true)
        }
        let news = try await office.run("devices", "history", "updating").lines.first
        #expect(news?.contains("attempt 2 may begin at ") == true)
        #expect(news?.hasSuffix(", because one failed: \(Self.detail)") == true)
        let line = try await office.run("devices", "history", "updating", "--json").lines.first
        #expect(line?.contains(#""kind":"refused","detail":"\#(Self.detail)""#) == true)
        let device = try await office.run("devices", "--json").text
        #expect(device.contains(#""detail":"\#(Self.detail)""#))
        #expect(device.contains(#""attempt":2"#))
    }

    private static let detail = "the device refused the image, because it is for other hardware"

    @Test("Devices are listed, and each filter leaves out the others")
    func filters() async throws {
        let office = try await Office()
        for device in devices() { try await office.add(device) }
        try await office.add(Sample.plan(CampaignID("autumn")!))
        try await add(gateway: "west", to: office, age: 0)
        let all = try await office.run("devices")
        #expect(
            all.lines == [
                "DEVICE               HARDWARE         VERSION     STATE",
                "idle                 acme/lock        1.0.0       idle",
                "waiting              acme/lamp        1.0.0       waiting",
                "updating             acme/lamp        1.0.0       updating at east",
                "updated              acme/lamp        2.0.0       updated",
                "failed               acme/lamp        1.0.0       failed: " + Self.detail,
            ]
        )
        let lamps = ["waiting", "updating", "updated", "failed"]
        let rows: [([String], [String])] = [
            (["--state", "idle"], ["idle"]), (["--state", "waiting"], ["waiting"]),
            (["--state", "updating"], ["updating"]), (["--state", "updated"], ["updated"]),
            (["--state", "failed"], ["failed"]), (["--hardware", "acme/lock"], ["idle"]),
            (["--group", "hall"], ["waiting"]), (["--group", "hall", "--state", "failed"], []),
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

    /// Only the head of the table was printed, as if the campaign had no devices yet.
    @Test("A name that the fleet doesn't have is a typing error")
    func unknownNames() async throws {
        let office = try await Office()
        for device in devices() { try await office.add(device) }
        let rows = [
            (
                ["--campaign", "sprung"],
                "there is no campaign sprung: bleota-fleet campaign list shows those there are."
            ),
            (
                ["--campaign", "spring", "--gateway", "eats"],
                "there is no gateway eats: bleota-fleet gateways lists those there are."
            ),
            (
                ["--hardware", "lock", "--campaign", "spring"],
                "no device has the hardware lock: bleota-fleet devices --json tells what each has."
            ),
            (
                ["--group", "hal"],
                "no device has the group hal: bleota-fleet devices --json tells what each has."
            ),
        ]
        for (words, sentence) in rows {
            for words in [words, words + ["--json"]] {
                let answer = try await office.run(["devices"] + words)
                #expect(answer.text == "bleota-fleet: \(sentence)\n")
                #expect(answer.code == 69)
            }
        }
        // One that was deleted, whose devices are there.
        let words = ["devices", "--campaign", "spring", "--hardware", "acme/lock"]
        let deleted = try await office.run(words)
        #expect(deleted.code == 0)
        // An empty table doesn't tell why it is empty.
        #expect(deleted.text == "no device fits all of these options\n")
        #expect(try await office.run(words + ["--json"]).text.isEmpty)
    }

    @Test("A fleet without devices says so")
    func none() async throws {
        let office = try await Office()
        let answer = try await office.run("devices", "--state", "failed")
        #expect(answer.text == "no gateway has heard a device yet\n")
        #expect(answer.code == 0)
    }

    private func add(gateway name: String, to office: Office, age: UInt64) async throws {
        let status = GatewayStatus(
            places: 8,
            program: FirmwareVersion(0, 1, 0),
            beat: 1,
            at: Moment(milliseconds: SystemTime.moment.milliseconds - age)!
        )
        try await office.store.gateways.put(GatewayID(name)!, status!)
    }

    @Test("Gateways are listed by name, and those that are silent alone")
    func gateways() async throws {
        let office = try await Office()
        for (name, age) in [("west", 60_000), ("east", 0)] as [(String, UInt64)] {
            try await add(gateway: name, to: office, age: age)
        }
        let all = try await office.run("gateways")
        #expect(
            all.lines.first
                == "GATEWAY                          PLACES PROGRAM           LAST HEARD"
        )
        let names = all.lines.dropFirst().map { $0.prefix { $0 != " " } }
        #expect(names == ["east", "west"])
        #expect(all.lines.allSatisfy { $0.count <= 80 })
        #expect(all.lines.filter { $0.hasSuffix(" s ago: silent") } == all.lines.suffix(1))
        let silent = try await office.run("gateways", "--silent", "--json")
        #expect(silent.lines.count == 1)
        #expect(silent.text.contains(#""gateway":"west""#))
    }
}
