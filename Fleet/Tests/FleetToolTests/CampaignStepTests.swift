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
        #expect(none.code == 75)
        #expect(
            none.text == """
                bleota-fleet: no known device with hardware acme/lamp needs 2.0.0: \
                bleota-fleet devices lists those there are.

                """
        )
        try await office.add(
            Sample.device("a"),
            Sample.device("b"),
            Sample.device("c", version: Sample.new),
            Sample.device("d", hardware: HardwareName("lamp")!)
        )
        let rows: [(step: String, code: Int32, text: String, phase: CampaignPhase)] = [
            ("pause", 64, "bleota-fleet: spring can't be paused: it is ready.", .ready),
            ("start", 0, "spring  running, stage 1", Self.running),
            (
                "start", 64, "bleota-fleet: spring can't be started: it is running, stage 1.",
                Self.running
            ),
            ("pause", 0, "spring  paused, stage 1", Self.paused),
            ("resume", 0, "spring  running, stage 1", Self.running),
            ("stop", 0, "spring  stopped", .stopped(.operator)),
            (
                "resume", 64, "bleota-fleet: spring can't be resumed: it is stopped.",
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
                "image      0707070707070707…",
                "stages     10 %, 100 %",
                "selected   1000",
                "begun      90",
                "updated    60",
                "failed     1",
                "left       905",
            ]
        )
        #expect(answer.lines.last?.hasPrefix("counted    ") == true)
        #expect(answer.lines.allSatisfy { $0.count <= 80 })
        let line = try await office.run("campaign", "status", "spring", "--json")
        let begin = """
            {"event":"campaign","campaign":"spring","phase":"running","version":"2.0.0",\
            "hardware":"acme/lamp","stages":2,"stage":1,"selected":1000,"begun":90,"updated":60,\
            "failed":1,"left":905,"countedSecondsAgo":
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
