import FleetModel
import FleetStore
import FleetTestSupport
import Testing

@Suite(
    "bleota-fleet campaign start, pause, resume, stop, status, list",
    .enabled(if: TestServer.isThere, "\(TestServer.isMissing)")
)
struct CampaignStepTests {
    @Test("Each step is said once, and what makes no sense is refused in a sentence")
    func steps() async throws {
        let office = try await Office()
        try await office.add(Sample.plan())
        func step(_ word: String) async throws -> Office.Answer {
            try await office.run("campaign", word, "spring")
        }
        let none = try await step("start")
        #expect(none.code == 69)
        #expect(
            none.text == """
                bleota-fleet: spring was not started: no gateway has heard a device with hardware \
                acme/lamp; bleota-fleet devices lists those there are.

                """
        )
        try await office.add(Sample.device("c", version: Sample.new))
        let current = try await step("start")
        #expect(current.code == 69)
        #expect(
            current.text == """
                bleota-fleet: spring was not started: no known device with hardware acme/lamp is \
                older than 2.0.0; bleota-fleet devices --hardware acme/lamp lists all devices with \
                this hardware, and their versions.

                """
        )
        #expect(try await office.campaign().phase == .ready)
        try await office.add(
            Sample.device("a"),
            Sample.device("b"),
            Sample.device("d", hardware: HardwareName("lamp")!)
        )
        let another =
            "and can't go on; make another campaign for the devices that are left: bleota-fleet "
            + "campaign create NAME --image FILE."
        let notBegun = "it is ready; begin it with bleota-fleet campaign start spring."
        let begun =
            "it is running, stage 1; bleota-fleet campaign watch spring shows how far it is."
        let waiting = "it is paused, stage 1; go on with bleota-fleet campaign resume spring."
        let rows: [(step: String, code: Int32, text: String, phase: CampaignPhase)] = [
            ("pause", 64, "bleota-fleet: spring can't be paused: \(notBegun)", .ready),
            ("resume", 64, "bleota-fleet: spring can't be resumed: \(notBegun)", .ready),
            ("start", 0, "spring  running, stage 1", Self.running),
            ("start", 64, "bleota-fleet: spring can't be started: \(begun)", Self.running),
            ("resume", 64, "bleota-fleet: spring can't be resumed: \(begun)", Self.running),
            ("pause", 0, "spring  paused, stage 1", Self.paused),
            ("pause", 64, "bleota-fleet: spring can't be paused: \(waiting)", Self.paused),
            ("start", 64, "bleota-fleet: spring can't be started: \(waiting)", Self.paused),
            ("resume", 0, "spring  running, stage 1", Self.running),
            ("stop", 0, "spring  stopped", .stopped(.operator)),
            (
                "stop", 64,
                "bleota-fleet: spring can't be stopped: it is over (stopped); bleota-fleet "
                    + "campaign delete spring removes it.",
                .stopped(.operator)
            ),
            (
                "resume", 64,
                "bleota-fleet: spring can't be resumed: it is over (stopped), \(another)",
                .stopped(.operator)
            ),
            (
                "start", 64,
                "bleota-fleet: spring can't be started: it is over (stopped), \(another)",
                .stopped(.operator)
            ),
        ]
        for row in rows {
            let answer = try await step(row.step)
            #expect(answer.text == row.text + "\n")
            #expect(answer.code == row.code)
            #expect(try await office.campaign().phase == row.phase)
        }
        let unknown = try await office.run("campaign", "stop", "autumn")
        #expect(unknown.code == 69)
        #expect(
            unknown.text == """
                bleota-fleet: there is no campaign autumn: \
                bleota-fleet campaign list shows those there are.

                """
        )
    }

    /// It read "it is stopped: too many failures, for good".
    @Test("A step for a campaign that stopped itself is refused: the campaign is over")
    func over() async throws {
        let office = try await Office()
        let counts = Sample.counts(given: 2, failed: 2)
        try await office.add(Sample.plan(), .start(Self.two), .counted(counts))
        let answer = try await office.run("campaign", "stop", "spring")
        #expect(
            answer.text == """
                bleota-fleet: spring can't be stopped: it is over (stopped: too many failures); \
                bleota-fleet campaign delete spring removes it.

                """
        )
        #expect(answer.code == 64)
    }

    /// Nothing was said of devices with which the other campaign had not begun.
    @Test("A start says how many devices other campaigns have, and how many they are for too")
    func busyDevices() async throws {
        let office = try await Office()
        let winter = Sample.plan(CampaignID("winter")!)
        let autumn = Sample.plan(CampaignID("autumn")!)
        try await office.add(winter, .start(DeviceCount(3)!))
        try await office.add(autumn, .start(DeviceCount(1)!), .stop)
        let now = SystemTime.moment
        for (name, plan) in [("a", winter), ("b", winter), ("c", autumn), ("d", nil)] {
            var device = Sample.device(name)
            if let plan { _ = device.assign(plan.id, at: now) }
            if name == "b" { _ = device.lend(to: Sample.east, at: now, winter.retries) }
            try await office.add(device)
        }
        for (name, words) in [("spring", []), ("summer", ["--json"])] {
            try await office.add(Sample.plan(CampaignID(name)!))
            let answer = try await office.run(["campaign", "start", name] + words)
            #expect(answer.code == 0)
            let lines = [
                "spring  running, stage 1", "2 devices wait until campaign winter is over",
                "campaign winter is for 2 of these devices too: the campaign that begins with a "
                    + "device first has it until that campaign is over",
            ]
            #expect(words.isEmpty ? answer.lines == lines : answer.lines.count == 1)
        }
    }

    private static let two = DeviceCount(2)!
    private static let running = CampaignPhase.running(stage: 0, population: two)
    private static let paused = CampaignPhase.paused(stage: 0, population: two)

    @Test("Each step prints the campaign with --json")
    func lines() async throws {
        let office = try await Office()
        try await office.add(Sample.plan())
        try await office.add(Sample.device("a"))
        for word in ["start", "pause", "resume", "status", "stop"] {
            let answer = try await office.run("campaign", word, "spring", "--json")
            #expect(answer.code == 0)
            #expect(answer.text.hasPrefix(#"{"event":"campaign","campaign":"spring""#))
        }
    }

    @Test("The status is the campaign and what its controller has counted")
    func status() async throws {
        let office = try await Office()
        let population = DeviceCount(1_000)!
        try await office.add(Sample.plan(), .start(population))
        let before = try await office.run("campaign", "status", "spring")
        #expect(before.lines.last == "counted    not yet: is a controller running?")
        let counts = Sample.counts(given: 90, succeeded: 60, failed: 1, eligible: 905)
        try await office.count(counts, stage: 0, of: 1_000)
        let answer = try await office.run("campaign", "status", "spring")
        #expect(
            answer.lines.dropLast() == [
                "spring  2.0.0 for acme/lamp  running, stage 1",
                "image      sha256 0808080808080808…",
                "bundle     sha256 0707070707070707… of its file",
                "stages     10 %, 100 %",
                "selected   1000",
                "begun      90",
                "updated    60",
                "failed     1",
                "left       905",
                "left out   5 that the campaign is no longer for",
            ]
        )
        let age = try #require(answer.lines.last)
        #expect(age.wholeMatch(of: /changed    [0-9]+ s ago/) != nil, "\(age)")
        #expect(answer.lines.allSatisfy { $0.count <= 80 })
        // Nobody has counted for 70 s, and none is under way.
        let idle = Sample.counts(given: 60, succeeded: 60, eligible: 940)
        let moment = Moment(milliseconds: SystemTime.moment.milliseconds - 70_000)!
        let old = Progress(stage: 0, population: population, counts: idle, at: moment)
        try await office.store.progress.put(Sample.spring, try #require(old))
        let waiting = try await office.run("campaign", "status", "spring")
        let words = "waits      for 40 devices in another campaign, or heard by no free gateway"
        #expect(waiting.lines.contains(words), "\(waiting.text)")
        #expect(waiting.lines.allSatisfy { $0.count <= 80 })
        let lines = try await office.run("campaign", "status", "spring", "--json").text
        #expect(lines.contains(#""waitsFor":"devices""#))
        try await office.count(counts, stage: 0, of: 1_000)
        let line = try await office.run("campaign", "status", "spring", "--json")
        let begin = """
            {"event":"campaign","campaign":"spring","phase":"running","version":"2.0.0",\
            "hardware":"acme/lamp","stages":2,"stage":1,"selected":1000,"begun":90,"updated":60,\
            "failed":1,"left":905,"leftOut":5,"countedSecondsAgo":
            """
        #expect(line.text.hasPrefix(begin), "\(line.text)")
    }

    @Test("The list has each campaign, by name, within 80 columns")
    func list() async throws {
        let office = try await Office()
        let population = DeviceCount(1_000)!
        let long = CampaignID(String(repeating: "n", count: 64))!
        try await office.add(Sample.plan(), .start(population))
        try await office.add(
            Sample.plan(long),
            .start(population),
            .counted(Sample.counts(failed: 9))
        )
        try await office.add(Sample.plan(CampaignID("autumn")!))
        try await office.count(
            Sample.counts(given: 9, succeeded: 7, failed: 1),
            stage: 0,
            of: 1_000
        )
        let answer = try await office.run("campaign", "list")
        #expect(
            answer.lines == [
                "CAMPAIGN             VERSION     UPDATED  FAILED   STATE",
                "autumn               2.0.0       -        -        ready",
                "nnnnnnnnnnnnnnnnnnn… 2.0.0       -        -        stopped: too many failures",
                "spring               2.0.0       7        1        running, stage 1",
            ]
        )
        #expect(answer.lines.allSatisfy { $0.count <= 80 })
        let lines = try await office.run("campaign", "list", "--json").lines
        #expect(lines.count == 3)
    }
}
