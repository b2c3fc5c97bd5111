#if BlueZ
import BLEOTA
import BLEOTABlueZ

/// The rows of several devices: what each does, and what became of it.
struct ProgressBoard: Sendable {
    private let names: [String]
    private let reporter: Reporter

    init(_ names: [String], _ reporter: Reporter) {
        self.names = names
        self.reporter = reporter
    }

    func show(_ progress: TransferProgress, of index: Int) {
        reporter.progress(progress, ofRow: index, of: names)
    }

    /// What a device does that has the image.
    func tell(_ event: JSONLine, _ line: String, of index: Int) {
        reporter.event(event.adding("device", names[index]))
        reporter.state(line, ofRow: index, of: names)
    }

    func conclude(_ report: TransferReport, _ mode: WriteModeArgument, of index: Int) {
        let conclusion = Conclusion(report, writeMode: mode)
        reporter.event(conclusion.line.adding("device", names[index]))
        reporter.state(conclusion.summary, ofRow: index, of: names)
    }

    func fail(_ failure: Failure, of index: Int) {
        reporter.event(
            JSONLine(event: "failed").adding("device", names[index])
                .adding("message", failure.sentence)
                .adding("exitCode", Int(failure.status.rawValue))
        )
        reporter.state("failed", ofRow: index, of: names)
        // The whole sentence, which may be longer than a row.
        reporter.printError("\(names[index]): \(failure.sentence)")
    }

    /// What follows starts below the rows.
    func end() { reporter.keepLine() }
}
#endif
