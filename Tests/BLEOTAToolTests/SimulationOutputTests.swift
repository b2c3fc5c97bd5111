import BLEOTA
import BLEOTACore
import BLEOTASimulation
import BLEOTATestSupport
import Foundation
import Synchronization
import Testing

@testable import BLEOTATool

/// How a simulated transfer that breaks a rule is told. None does, so these are made up.
@Suite("Simulated transfers that break a rule", .timeLimit(.minutes(1)))
struct SimulationOutputTests {
    private static func report(_ seed: UInt64, violation: String?) -> SimulatedTransferReport {
        SimulatedTransferReport(
            seed: seed,
            violation: violation,
            outcome: violation == nil ? .verified : nil,
            duration: .seconds(90),
            imageByteCount: 10_000,
            frameCount: 1_234,
            byteCount: 20_000,
            interruptionCount: 2,
            traceHash: 0xAB
        )
    }

    /// What is printed of these transfers.
    private static func lines(of reports: [SimulatedTransferReport]) -> [String] {
        let lines = Mutex<[String]>([])
        var options = OutputOptions()
        (options.json, options.quiet, options.verbose) = (false, false, false)
        let output = SimulationOutput(options, Reporter(options)) { line in
            lines.withLock { $0.append(line) }
        }
        var summary = SimulationSummary(SeedRange(first: 10, count: 100))
        output.begin(summary.range)
        for report in reports {
            summary.take(report)
            output.take(report, as: summary, since: .now)
        }
        output.end(summary, after: .seconds(2))
        return lines.withLock { $0 }
    }

    @Test("It is named with what was wrong and the command that repeats it")
    func violation() {
        let lines = Self.lines(of: [
            Self.report(10, violation: nil),
            Self.report(11, violation: "chunk 3 had credit and was dropped, at 1234 ms"),
            Self.report(12, violation: nil),
        ])
        #expect(
            lines == [
                "seeds             10 to 109",
                "violation         seed 11: chunk 3 had credit and was dropped, at 1234 ms",
                "replay            bleota simulate --seed 11",
                "verified          2 of 3 transfers",
                "broke a rule      1",
                "simulated         4 min 30 s, 3,702 frames, 60,000 bytes, 6 interruptions",
                "took              2.0 s, 1 transfers a second",
            ]
        )
    }

    @Test("As an event it has the same")
    func event() {
        let violation = "the durable byte count moved back, at 5 ms"
        let line = Self.report(7, violation: violation).line.finished
        let event = Event.all(in: line).first
        #expect(event?.text("seed") == "7")
        #expect(event?.fields["verified"] as? Bool == false)
        #expect(event?.text("violation") == violation)
        #expect(event?.text("replay") == "bleota simulate --seed 7")
        #expect(event?.text("traceHash") == "0x00000000000000ab")
    }

    @Test("The exit code is 1, and the sentence has the command")
    func failure() {
        let one = SimulationSummary.failure([Self.report(7, violation: "x")])
        #expect(one.status.rawValue == 1)
        #expect(one.sentence.hasPrefix("A simulated transfer broke a rule"))
        #expect(one.sentence.hasSuffix("bleota simulate --seed 7."))
        let two = SimulationSummary.failure([7, 9].map { Self.report($0, violation: "x") })
        #expect(two.sentence.hasPrefix("2 simulated transfers broke a rule"))
    }

    @Test(
        "A range gives reports in order and without a gap, and ends when told to",
        arguments: [1, 130]
    )
    func order(count: Int) async {
        var seeds: [UInt64] = []
        await SeedRange(first: 5, count: 1_000).run { report in
            seeds.append(report.seed)
            return seeds.count < count
        }
        #expect(seeds == (5..<UInt64(5 + count)).map { $0 })
    }

    @Test("A range that ends with the last number there is runs all of its seeds")
    func lastSeed() async {
        var seeds: [UInt64] = []
        await SeedRange(first: .max - 2, count: 3).run { report in
            seeds.append(report.seed)
            return true
        }
        #expect(seeds == [.max - 2, .max - 1, .max])
    }

    @Test("A transfer that traps names its seed before the process ends")
    func trap() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            TrapNotice.naming(3) {}
            TrapNotice.naming(17) { preconditionFailure("made up") }
        }
        let errors = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(errors.contains("bleota simulate --seed 17.\n"), "\(errors)")
        #expect(!errors.contains("--seed 3.\n"))
    }
}
