#if BlueZ
import BLEOTA
import BLEOTABlueZ

/// One row for each of several devices, with its progress and its result.
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

    /// Shows the state of a device that has received the image.
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
        // The whole sentence can be longer than a row.
        reporter.printError("\(names[index]): \(failure.sentence)")
    }

    /// Ends the rows; later output begins below them.
    func end() { reporter.keepLine() }
}
#endif
