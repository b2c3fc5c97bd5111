import BLEOTA
import BLEOTACore
import BLEOTASimulation

/// Reports simulated transfers on standard output, as text or as events, and their progress on a
/// terminal.
struct SimulationOutput {
    /// The width of the first column.
    private static let nameWidth = 18

    private let isJSON: Bool
    private let isQuiet: Bool
    private let isVerbose: Bool
    private let reporter: Reporter
    private let print: @Sendable (String) -> Void

    init(
        _ options: OutputOptions,
        _ reporter: Reporter,
        print: @escaping @Sendable (String) -> Void = Terminal.printLine
    ) {
        isJSON = options.json
        isQuiet = options.quiet
        isVerbose = options.verbose
        self.reporter = reporter
        self.print = print
    }

    // MARK: - One

    func begin(_ transfer: SimulatedTransfer) {
        var line = JSONLine(event: "options").adding("seed", "\(transfer.seed)")
        say("seed", "\(transfer.seed)")
        for option in transfer.options {
            line = line.adding(Self.key(option.name), option.value)
            say(option.name, option.value)
        }
        reporter.event(line)
    }

    func end(_ report: SimulatedTransferReport) {
        reporter.event(report.line)
        if let violation = report.violation {
            say("violation", violation)
        } else {
            say("ended", report.text)
        }
        say("trace hash", report.traceHashText)
    }

    // MARK: - Many

    func begin(_ range: SeedRange) {
        reporter.event(
            JSONLine(event: "seeds").adding("first", "\(range.first)")
                .adding("last", "\(range.last)").adding("transfers", range.count)
        )
        say("seeds", "\(range.first) to \(range.last)")
    }

    /// Reports a finished transfer, which the summary already includes.
    func take(
        _ report: SimulatedTransferReport,
        as summary: SimulationSummary,
        since start: ContinuousClock.Instant
    ) {
        reporter.event(report.line)
        if let violation = report.violation {
            say("violation", "seed \(report.seed): \(violation)")
            say("replay", report.replay)
        } else if isVerbose {
            say("\(report.seed)", report.text)
        }
        // More frequent updates would be unreadable.
        if summary.transferCount.isMultiple(of: 64) {
            reporter.moving(summary.progress(after: .now - start))
        }
    }

    func end(_ summary: SimulationSummary, after duration: Duration) {
        reporter.event(summary.line(after: duration))
        for (name, value) in summary.text(after: duration) { say(name, value) }
    }

    /// A name as a JSON key: "sender data" becomes `senderData`.
    private static func key(_ name: String) -> String {
        let words = name.split(separator: " ")
        return words.dropFirst().reduce(words.first.map(String.init) ?? "") { key, word in
            key + word.prefix(1).uppercased() + word.dropFirst()
        }
    }

    private func say(_ name: String, _ value: String) {
        guard !isJSON, !isQuiet else { return }
        reporter.removeLine()
        let padding = String(repeating: " ", count: max(2, Self.nameWidth - name.count))
        print(name + padding + value)
    }
}
