import BLEOTA
import Synchronization

/// Tells the user what happens: a line that moves on a terminal, NDJSON on demand, nothing but
/// errors otherwise.
final class Reporter: Sendable {
    private let isJSON: Bool
    private let isQuiet: Bool
    private let isVerbose: Bool
    let showsProgress: Bool
    /// Whether a progress line stands on the terminal, to be overwritten.
    private let hasLine = Mutex(false)

    init(_ options: OutputOptions) {
        isJSON = options.json
        isQuiet = options.quiet
        isVerbose = options.verbose
        showsProgress = !options.json && !options.quiet && Terminal.isErrorInteractive
    }

    /// Something worth a line while it happens.
    func note(_ line: @autoclosure () -> String) {
        guard !isJSON, !isQuiet, isVerbose || Terminal.isErrorInteractive else { return }
        replaceLine(with: Self.shown(line()) + "\n", stays: false)
    }

    /// Something that only matters to who looks for a fault.
    func detail(_ line: @autoclosure () -> String) {
        guard isVerbose, !isJSON else { return }
        replaceLine(with: Self.shown(line()) + "\n", stays: false)
    }

    /// What a command was asked for, on standard output.
    func say(_ line: @autoclosure () -> String) {
        if !isJSON, !isQuiet { Terminal.printLine(Self.shown(line())) }
    }

    func event(_ line: @autoclosure () -> JSONLine) {
        if isJSON { line().print() }
    }

    func progress(_ progress: TransferProgress) {
        event(line(of: progress))
        moving(text(of: progress))
    }

    /// How far something is that is no transfer, on a line that moves.
    func moving(_ line: @autoclosure () -> String) {
        guard showsProgress else { return }
        replaceLine(
            with: String(ImageName.shown(line()).prefix(Terminal.columnCount - 1)),
            stays: true
        )
    }

    /// Progress as an event.
    func line(of progress: TransferProgress) -> JSONLine {
        JSONLine(event: "progress")
            .adding("bytes", progress.durableByteCount)
            .adding("total", progress.totalByteCount)
            .adding("bytesPerSecond", progress.bytesPerSecond)
            .adding("secondsLeft", progress.secondsLeft)
            .adding("dataFramesSent", progress.dataFramesSent)
            .adding("dataFramesResent", progress.dataFramesResent)
    }

    /// Progress as a person reads it.
    func text(of progress: TransferProgress) -> String {
        let percent = progress.durableByteCount * 100 / max(progress.totalByteCount, 1)
        var line = "\(percent < 10 ? " " : "")\(percent) %  "
        line += "\(Units.grouped(progress.durableByteCount)) of "
        line += "\(Units.grouped(progress.totalByteCount)) bytes"
        if progress.bytesPerSecond > 0 { line += "   \(Units.rate(progress.bytesPerSecond))" }
        if progress.dataFramesResent > 0 {
            line += "   \(Units.grouped(progress.dataFramesResent)) resent"
        }
        if let seconds = progress.secondsLeft, progress.durableByteCount < progress.totalByteCount {
            line += "   \(Units.time(seconds)) left"
        }
        return line
    }

    /// Takes the progress line away.
    func removeLine() { replaceLine(with: "", stays: false) }

    /// Leaves the progress line as it is; what follows starts on a line of its own.
    func keepLine() {
        hasLine.withLock { hasLine in
            if hasLine { Terminal.printError("\n") }
            hasLine = false
        }
    }

    /// Names and versions come from outside, and could move the cursor of a terminal.
    private static func shown(_ lines: String) -> String {
        lines.split(separator: "\n", omittingEmptySubsequences: false)
            .map { ImageName.shown(String($0)) }
            .joined(separator: "\n")
    }

    private func replaceLine(with text: String, stays: Bool) {
        hasLine.withLock { hasLine in
            // Carriage return, then erase to the end of the line.
            Terminal.printError((hasLine ? "\r\u{1B}[K" : "") + text)
            hasLine = stays
        }
    }
}
