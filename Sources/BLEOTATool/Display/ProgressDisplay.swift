import BLEOTA
import Synchronization

/// The progress of one or several transfers on standard error: bars that change in place, or, if
/// the terminal can't move its cursor, occasional lines.
final class ProgressDisplay: Sendable {
    private struct Row {
        var steady = SteadyProgress()
        var text: @Sendable (_ columnCountMax: Int) -> String = { _ in "waiting" }
        /// The tenth of the image that was printed last.
        var tenthWritten: Int?
    }

    /// The maximum width of a name. Names of devices can be up to 248 bytes long.
    private static let nameColumnCountMax = 20

    private let hasCursor: Bool
    private let lines: LiveLines
    private let rows = Mutex<[Row]>([])

    init(hasCursor: Bool, on surface: TerminalSurface = .standardError) {
        self.hasCursor = hasCursor
        lines = LiveLines(on: surface)
    }

    /// Prints a permanent line.
    func printAbove(_ text: String) { lines.printAbove(text) }

    func remove() {
        rows.withLock { $0 = [] }
        lines.remove()
    }

    func keep() {
        rows.withLock { $0 = [] }
        lines.keep()
    }

    /// Shows a line that changes in place; does nothing if the cursor can't be moved.
    func show(_ line: String) {
        if hasCursor { lines.show([{ _ in line }]) }
    }

    /// Shows the progress of the only transfer.
    func show(_ progress: TransferProgress) {
        // The update may arrive after the transfer was reported as done.
        let isLate = progress.durableByteCount == progress.totalByteCount
        if isLate, rows.withLock(\.isEmpty) { return }
        show(progress, ofRow: 0, of: [""])
    }

    /// Shows the progress of one of several transfers.
    ///
    /// - Parameter names: the names of all transfers, one per row.
    func show(_ progress: TransferProgress, ofRow index: Int, of names: [String]) {
        change(index, of: names) { row in
            let line = row.steady.line(of: progress, at: .now)
            row.text = { line.text(columnCountMax: $0) }
            let tenth = progress.durableByteCount * 10 / max(progress.totalByteCount, 1)
            // The summary reports the end.
            guard !hasCursor, row.tenthWritten != tenth, tenth < 10 else { return }
            row.tenthWritten = tenth
            lines.printAbove(Self.named(names[index], names) + line.words)
        }
    }

    /// Shows the state of one of several transfers.
    func show(_ text: String, ofRow index: Int, of names: [String]) {
        change(index, of: names) { row in
            row.text = { TerminalText.fitted(text, columnCountMax: $0) }
            if !hasCursor { lines.printAbove(Self.named(names[index], names) + text) }
        }
    }

    private func change(_ index: Int, of names: [String], _ body: (inout Row) -> Void) {
        rows.withLock { rows in
            while rows.count < names.count { rows.append(Row()) }
            body(&rows[index])
            guard hasCursor else { return }
            lines.show(
                zip(names, rows).map { name, row in
                    let (name, text) = (Self.named(name, names), row.text)
                    let columnCount = TerminalText.columnCount(of: name)
                    return { name + text(max($0 - columnCount, 1)) }
                }
            )
        }
    }

    /// A name in front of its row, padded to the widest; empty for the only transfer.
    private static func named(_ name: String, _ names: [String]) -> String {
        guard names != [""] else { return "" }
        let widest = names.map { TerminalText.columnCount(of: TerminalText.clean($0)) }.max() ?? 0
        return TerminalText.padded(name, columnCount: min(widest, nameColumnCountMax)) + "  "
    }
}
