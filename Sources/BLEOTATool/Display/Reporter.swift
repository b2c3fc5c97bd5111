import BLEOTA
import Synchronization

/// Tells the user what happens: lines that change in place on a terminal, NDJSON on demand, nothing
/// but errors otherwise.
final class Reporter: Sendable {
    private let isJSON: Bool
    private let isQuiet: Bool
    private let isVerbose: Bool
    /// Whether it writes a log, also where nobody watches.
    private let isService: Bool
    /// Whether somebody sits before a terminal and watches.
    let showsProgress: Bool
    private let display: ProgressDisplay
    private let endings = Mutex<[@Sendable () throws(Failure) -> Void]>([])

    init(_ options: OutputOptions, isService: Bool = false) {
        self.isService = isService
        isJSON = options.json
        isQuiet = options.quiet
        isVerbose = options.verbose
        showsProgress = !options.json && !options.quiet && Terminal.isErrorInteractive
        display = ProgressDisplay(hasCursor: Terminal.hasCursor)
    }

    /// Something worth a line while it happens.
    func note(_ line: @autoclosure () -> String) {
        guard !isJSON, !isQuiet, isVerbose || isService || Terminal.isErrorInteractive else {
            return
        }
        display.printAbove(line())
    }

    /// Something that only matters to somebody who looks for a fault.
    func detail(_ line: @autoclosure () -> String) {
        guard isVerbose, !isJSON else { return }
        display.printAbove(line())
    }

    /// What a command was asked for, on standard output.
    func say(_ line: @autoclosure () -> String) {
        if !isJSON, !isQuiet { Terminal.printLine(line()) }
    }

    /// An error of one of several things that a command does.
    func printError(_ line: String) { display.printAbove(line) }

    func event(_ line: @autoclosure () -> JSONLine) {
        if isJSON { line().print() }
    }

    // MARK: - Progress

    func progress(_ progress: TransferProgress) {
        event(line(of: progress))
        if showsProgress { display.show(progress) }
    }

    /// Progress of one of several transfers.
    ///
    /// - Parameter rows: the names of all of them.
    func progress(_ progress: TransferProgress, ofRow index: Int, of rows: [String]) {
        event(line(of: progress).adding("device", rows[index]))
        if showsProgress { display.show(progress, ofRow: index, of: rows) }
    }

    /// What one of several transfers does that is no progress.
    func state(_ text: String, ofRow index: Int, of rows: [String]) {
        if showsProgress { display.show(text, ofRow: index, of: rows) }
    }

    /// How far something is that is no transfer.
    func moving(_ line: @autoclosure () -> String) {
        if showsProgress { display.show(line()) }
    }

    /// Progress as an event.
    private func line(of progress: TransferProgress) -> JSONLine {
        JSONLine(event: "progress")
            .adding("bytes", progress.durableByteCount)
            .adding("total", progress.totalByteCount)
            .adding("bytesPerSecond", progress.bytesPerSecond)
            .adding("secondsLeft", progress.secondsLeft)
            .adding("dataFramesSent", progress.dataFramesSent)
            .adding("dataFramesResent", progress.dataFramesResent)
    }

    /// Takes what changes in place away.
    func removeLine() { display.remove() }

    /// Leaves it as it is; what follows begins below.
    func keepLine() { display.keep() }

    // MARK: - The end

    /// Has something done at the end of the command, such as writing the last lines of a file.
    func atEnd(_ ending: @escaping @Sendable () throws(Failure) -> Void) {
        endings.withLock { $0.append(ending) }
    }

    /// Does what is to be done at the end, all of it.
    ///
    /// - Throws: the first ``Failure``.
    func end() throws(Failure) {
        let endings = endings.withLock { endings in
            defer { endings = [] }
            return endings
        }
        var first: Failure?
        for ending in endings {
            do throws(Failure) {
                try ending()
            } catch {
                first = first ?? error
            }
        }
        if let first { throw first }
    }
}
