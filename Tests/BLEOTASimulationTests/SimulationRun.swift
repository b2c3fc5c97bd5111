import BLEOTACore
import BLEOTATestSupport
import Glibc
import Testing

@testable import BLEOTASimulation

/// Runs scenarios and says how to see a failure again.
enum SimulationRun {
    /// How many seeds are run: `BLEOTA_SEEDS`, or ten thousand; a quarter of those in `make test`.
    static var seedCount: Int {
        environment("BLEOTA_SEEDS").flatMap { Int($0) } ?? TestScope.choose(2_500, full: 10_000)
    }

    /// The only seed to run: `BLEOTA_SEED`.
    static var seed: UInt64? { environment("BLEOTA_SEED").flatMap { UInt64($0) } }

    /// Whether each seed is printed before its run, which shows the one that traps.
    private static var isLogging: Bool { environment("BLEOTA_SEED_LOG") != nil }

    static func log(_ text: String) {
        guard isLogging else { return }
        let line = Array("\(text)\n".utf8)
        // Unbuffered: a trap must not swallow it.
        _ = write(STDERR_FILENO, line, line.count)
    }

    static func environment(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }

    /// Runs a scenario; a failure is recorded with all that is needed to replay it.
    @discardableResult
    static func run(
        _ scenario: Scenario,
        isTraced: Bool = false,
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> Pair {
        let pair = Pair(scenario)
        pair.run()
        guard let failure = pair.failure else { return pair }
        var lines: [String] = []
        let traced = Pair(scenario) { entry in
            guard case .note(let text) = entry.event else { return }
            lines.append("\(Double(entry.moment.microseconds) / 1_000) ms  \(text)")
        }
        traced.run()
        let length = isTraced ? .max : 60
        Issue.record(
            """
            \(failure)
            replay: BLEOTA_SEED=\(scenario.seed) swift test --filter SimulatedTransferTests
            \(scenario)
            endings: \(pair.senderEndings) \(pair.receiverEndings)
            \(lines.suffix(length).joined(separator: "\n"))
            """,
            sourceLocation: sourceLocation
        )
        return pair
    }
}
