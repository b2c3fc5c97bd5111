import FleetModel
import FleetStore
import FleetTestSupport
import Glibc
import NATS
import Testing

@Suite(
    "bleota-fleet campaign watch",
    .enabled(if: TestServer.isThere, "\(TestServer.isMissing)")
)
struct WatchCampaignTests {
    private static let population = DeviceCount(20)!

    /// Starts a watch of a campaign that runs, and waits for its first line.
    private func watch(
        _ office: Office,
        _ words: String...,
        output: String? = nil
    ) async throws -> (process: ChildProcess, text: () -> String) {
        try await office.add(Sample.plan(), .start(Self.population))
        let path = office.server.folder.path("watch-\(UInt32.random(in: 0 ... .max))")
        let process = try office.start(
            ["campaign", "watch", "spring"] + words,
            output: output ?? path
        )
        let text = { String(decoding: TestFolder.read(path) ?? [], as: UTF8.self) }
        if output == nil { try await eventually("a line") { text().contains("\n") } }
        return (process, text)
    }

    private func advance(_ office: Office, _ input: CampaignPhase.Input) async throws {
        let entry = try await office.store.campaigns.get(Sample.spring)
        var campaign = entry.value
        campaign.handle(input)
        try await office.store.campaigns.update(Sample.spring, campaign, after: entry.revision)
    }

    @Test("Prints a line for each change, and ends with the campaign")
    func lines() async throws {
        let office = try await Office()
        let (process, text) = try await watch(office)
        let some = Sample.counts(given: 2, succeeded: 1, eligible: 18)
        try await office.count(some, stage: 0, of: 20)
        try await eventually("some are updated") { text().contains("1 updated") }
        try await office.count(Sample.counts(given: 20, succeeded: 20), stage: 1, of: 20)
        try await eventually("all are updated") { text().contains("20 updated") }
        try await advance(office, .counted(Sample.counts(given: 20, succeeded: 20)))
        #expect(try await process.end() == 0)
        #expect(
            text() == """
                spring  running, stage 1: 0 updated and 0 failed of 20
                spring  running, stage 1: 1 updated and 0 failed of 20
                spring  running, stage 1: 20 updated and 0 failed of 20
                spring  finished: 20 updated and 0 failed of 20

                """
        )
    }

    @Test("Prints objects with --json, and ends with 65 when the campaign is stopped")
    func stopped() async throws {
        let office = try await Office()
        let (process, text) = try await watch(office, "--json")
        let counts = Sample.counts(given: 2, failed: 2, eligible: 18)
        try await office.count(counts, stage: 0, of: 20)
        try await advance(office, .counted(counts))
        #expect(try await process.end() == 65)
        let lines = text().split(separator: "\n")
        #expect(
            lines.last == """
                bleota-fleet: spring was stopped, because more than 2 % of a stage failed: \
                bleota-fleet devices --campaign spring --state failed says why.
                """
        )
        #expect(OutputSchema.current.describes(lines.dropLast().joined(separator: "\n")))
        #expect(lines.dropLast().last?.contains(#""phase":"tooManyFailures""#) == true)
        #expect(lines.dropLast().last?.contains(#""failed":2"#) == true)
    }

    @Test("Says who has stopped or deleted a campaign, or that there is none")
    func otherEnds() async throws {
        let office = try await Office()
        let (process, text) = try await watch(office)
        try await advance(office, .stop)
        #expect(try await process.end() == 65)
        #expect(text().hasSuffix("bleota-fleet: spring was stopped by an operator.\n"))

        let (second, lastText) = try await watch(office)
        let entry = try await office.store.campaigns.get(Sample.spring)
        try await office.store.campaigns.delete(Sample.spring, after: entry.revision)
        #expect(try await second.end() == 69)
        #expect(lastText().hasSuffix("bleota-fleet: somebody has deleted spring.\n"))

        #expect(try await office.run("campaign", "watch", "spring").code == 69)
    }

    /// It said nothing of the window, for up to a day.
    @Test("Says until when a campaign waits that has a window")
    func window() async throws {
        let office = try await Office()
        // It opens in two hours, for one.
        let minute = UInt16(SystemTime.moment.milliseconds / 60_000 % 1_440 + 120) % 1_440
        let window = try #require(DayWindow(opening: minute, minutes: 60))
        try await office.add(Sample.plan(window: window), .start(Self.population))
        let clock = [minute / 60, minute % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
        let words = "waits for \(clock.joined(separator: ":")) UTC, when its window opens"
        let path = office.server.folder.path("watch")
        let log = try office.start(["campaign", "watch", "spring"], output: path)
        let text = { String(decoding: TestFolder.read(path) ?? [], as: UTF8.self) }
        try await eventually("a line") { text().contains("\n") }
        #expect(text() == "spring  running, stage 1: 0 updated and 0 failed of 20; \(words)\n")
        let terminal = try Terminal(columns: 60, rows: 24)
        let picture = try office.start(["campaign", "watch", "spring"], output: terminal.path)
        try await eventually("a picture") { terminal.text.contains(words) }
        for process in [log, picture] {
            Glibc.kill(process.id, SIGINT)
            #expect(try await process.end() == 130)
        }
    }

    /// No count followed that would have told it.
    @Test("Says that a campaign waits for devices when time has passed")
    func devices() async throws {
        let office = try await Office()
        let (process, text) = try await watch(office, "--json")
        let idle = Sample.counts(given: 1, succeeded: 1, eligible: 19)
        try await office.count(idle, stage: 0, of: 20)
        try await eventually("it waits") { text().contains(#""waitsFor":"devices""#) }
        Glibc.kill(process.id, SIGINT)
        #expect(try await process.end() == 130)
        let lines = text().split(separator: "\n").filter { $0.hasPrefix("{") }
        #expect(lines.count == 3, "\(text())")
        #expect(OutputSchema.current.describes(lines.joined(separator: "\n")))
    }

    @Test("Ends on SIGINT with 130")
    func interrupted() async throws {
        let office = try await Office()
        let (process, _) = try await watch(office)
        Glibc.kill(process.id, SIGINT)
        #expect(try await process.end() == 130)
    }

    @Test("Draws a bar for each stage in a terminal, again in the same place")
    func terminal() async throws {
        let office = try await Office()
        let terminal = try Terminal(columns: 60, rows: 24)
        let (process, _) = try await watch(office, output: terminal.path)
        try await eventually("the title") { terminal.text.contains("running, stage 1") }
        try await office.count(
            Sample.counts(given: 2, succeeded: 1, eligible: 18),
            stage: 0,
            of: 20
        )
        try await eventually("the half of a stage") { terminal.text.contains("50 %") }
        try await office.count(Sample.counts(given: 20, succeeded: 20), stage: 1, of: 20)
        try await advance(office, .counted(Sample.counts(given: 20, succeeded: 20)))
        #expect(try await process.end() == 0)
        let full = String(repeating: "█", count: 34)
        #expect(
            terminal.screen == [
                "spring  2.0.0 for acme/lamp  finished",
                "   10 %        2 \(full) 100 %",
                "  100 %       20 \(full) 100 %",
                "20 updated, 0 failed, 0 begun, 0 left",
            ]
        )
    }
}
