import BLEOTA
import Synchronization

/// The output of a command: lines that change in place on a terminal, events as NDJSON on request,
/// and otherwise only errors.
final class Reporter: Sendable {
    private let isJSON: Bool
    private let isQuiet: Bool
    private let isVerbose: Bool
    /// Whether this is a service, which writes its log even without a terminal.
    private let isService: Bool
    /// Whether a user watches on a terminal.
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

    /// Prints a note about what the command is doing.
    func note(_ line: @autoclosure () -> String) {
        guard !isJSON, !isQuiet, isVerbose || isService || Terminal.isErrorInteractive else {
            return
        }
        display.printAbove(line())
    }

    /// Prints a detail that helps to find a fault.
    func detail(_ line: @autoclosure () -> String) {
        guard isVerbose, !isJSON else { return }
        display.printAbove(line())
    }

    /// Prints a result on standard output.
    func say(_ line: @autoclosure () -> String) {
        if !isJSON, !isQuiet { Terminal.printLine(line()) }
    }

    /// Prints the error of one of several tasks.
    func printError(_ line: String) { display.printAbove(line) }

    func event(_ line: @autoclosure () -> JSONLine) {
        if isJSON { line().print() }
    }

    // MARK: - Progress

    func progress(_ progress: TransferProgress) {
        event(line(of: progress))
        if showsProgress { display.show(progress) }
    }

    /// Reports the progress of one of several transfers.
    ///
    /// - Parameter rows: the names of all transfers.
    func progress(_ progress: TransferProgress, ofRow index: Int, of rows: [String]) {
        event(line(of: progress).adding("device", rows[index]))
        if showsProgress { display.show(progress, ofRow: index, of: rows) }
    }

    /// Reports the state of one of several transfers.
    func state(_ text: String, ofRow index: Int, of rows: [String]) {
        if showsProgress { display.show(text, ofRow: index, of: rows) }
    }

    /// Shows the progress of something other than a transfer.
    func moving(_ line: @autoclosure () -> String) {
        if showsProgress { display.show(line()) }
    }

    /// The progress as an event.
    private func line(of progress: TransferProgress) -> JSONLine {
        JSONLine(event: "progress")
            .adding("bytes", progress.durableByteCount)
            .adding("total", progress.totalByteCount)
            .adding("bytesPerSecond", progress.bytesPerSecond)
            .adding("secondsLeft", progress.secondsLeft)
            .adding("dataFramesSent", progress.dataFramesSent)
            .adding("dataFramesResent", progress.dataFramesResent)
    }

    /// Removes the lines that change in place.
    func removeLine() { display.remove() }

    /// Leaves the lines that change in place on the screen; later output begins below them.
    func keepLine() { display.keep() }

    // MARK: - The end

    /// Registers work for the end of the command, such as writing the last lines of a file.
    func atEnd(_ ending: @escaping @Sendable () throws(Failure) -> Void) {
        endings.withLock { $0.append(ending) }
    }

    /// Does all the work that was registered for the end.
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
