#if BlueZ
import BLEOTA
import BLEOTABlueZ

/// The rows of several devices, with the activity and the result of each.
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

    /// Reports what a device does after it has received the image.
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

    /// Keeps the rows; further output begins below them.
    func end() { reporter.keepLine() }
}
#endif
