#if BlueZ
import BLEOTABlueZ
import Synchronization

/// A line of progress for each of several devices, which change in place on a terminal.
final class ProgressBoard: Sendable {
    private struct State {
        var lines: [String]
        var isDrawn = false
    }

    private let names: [String]
    private let reporter: Reporter
    private let state: Mutex<State>

    init(_ names: [String], _ reporter: Reporter) {
        self.names = names
        self.reporter = reporter
        state = Mutex(State(lines: names.map { _ in "waiting" }))
    }

    func show(_ progress: TransferProgress, of index: Int) {
        reporter.event(reporter.line(of: progress).adding("device", names[index]))
        set(reporter.text(of: progress), of: index)
    }

    /// What a device does that has the image.
    func tell(_ event: JSONLine, _ line: String, of index: Int) {
        reporter.event(event.adding("device", names[index]))
        set(line, of: index)
    }

    func conclude(_ report: TransferReport, _ mode: WriteModeArgument, of index: Int) {
        let conclusion = Conclusion(report, writeMode: mode)
        reporter.event(conclusion.line.adding("device", names[index]))
        set(conclusion.text, of: index)
    }

    func fail(_ failure: Failure, of index: Int) {
        reporter.event(
            JSONLine(event: "failed").adding("device", names[index])
                .adding("message", failure.sentence)
                .adding("exitCode", Int(failure.status.rawValue))
        )
        if reporter.showsProgress {
            set(failure.sentence, of: index)
        } else {
            Terminal.printError("\(names[index]): \(failure.sentence)\n")
        }
    }

    /// What follows starts below the lines.
    func end() { state.withLock { $0.isDrawn = false } }

    private func set(_ text: String, of index: Int) {
        state.withLock { state in
            state.lines[index] = text
            guard reporter.showsProgress else { return }
            var output = state.isDrawn ? "\u{1B}[\(names.count)A" : ""
            for (name, line) in zip(names, state.lines) {
                let line = ImageName.shown("\(name)  \(line)").prefix(Terminal.columnCount - 1)
                output += "\r\u{1B}[2K\(line)\n"
            }
            Terminal.printError(output)
            state.isDrawn = true
        }
    }
}
#endif
