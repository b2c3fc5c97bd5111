import BLEOTA
import BLEOTACore
import BLEOTASimulation

/// The results of the transfers so far.
struct SimulationSummary {
    /// The number of violations after which the simulation stops. The same fault tends to break a
    /// rule repeatedly, and the first cases are enough to analyze it.
    static let violationCountMax = 3

    let range: SeedRange
    private(set) var transferCount = 0
    private(set) var verifiedCount = 0
    /// The number of transfers that were not verified, by the name of the reason.
    private(set) var endings: [String: Int] = [:]
    private(set) var violations: [SimulatedTransferReport] = []
    private(set) var interruptionCount = 0
    private(set) var frameCount = 0
    private(set) var byteCount = 0
    private var duration = Microseconds.zero

    init(_ range: SeedRange) { self.range = range }

    mutating func take(_ report: SimulatedTransferReport) {
        transferCount += 1
        interruptionCount += report.interruptionCount
        frameCount += report.frameCount
        byteCount += report.byteCount
        duration = duration + report.duration
        if report.violation != nil {
            violations.append(report)
        } else if report.outcome == .verified {
            verifiedCount += 1
        } else {
            endings[report.ending, default: 0] += 1
        }
    }

    var endedCount: Int { endings.values.reduce(0, +) }

    var simulatedSeconds: Double { Double(duration.rawValue) / 1_000_000 }

    /// The reasons in descending order of frequency, then by name.
    var endingsInOrder: [(name: String, count: Int)] {
        endings.map { (name: $0.key, count: $0.value) }
            .sorted { ($1.count, $0.name) < ($0.count, $1.name) }
    }

    /// The failure to report when the simulation is interrupted.
    var interruption: Failure {
        let next = range.first + UInt64(transferCount)
        return Failure(
            .signalled,
            "Stopped after \(Units.grouped(transferCount)) of \(Units.grouped(range.count)) "
                + "transfers, none of which broke a rule; continue with bleota simulate --seeds "
                + "\(range.count - transferCount) --from \(next)"
        )
    }

    /// The failure that is reported if a rule was broken.
    static func failure(_ violations: [SimulatedTransferReport]) -> Failure {
        let what =
            violations.count == 1
            ? "A simulated transfer broke a rule"
            : "\(violations.count) simulated transfers broke a rule"
        return Failure(
            .violated,
            "\(what), which is a bug in bleota; report the seed, and repeat the run with "
                + (violations.first?.replay ?? "")
        )
    }
}
