import BLEOTA

/// A transfer's progress in one line: a bar and as many figures as fit.
///
///     [===============>             ]  52 %  136,192 of 262,144 bytes  41.2 kB/s  3 s left
struct ProgressLine: Sendable {
    private static let barColumnCountMin = 10
    private static let barColumnCountMax = 40

    let progress: TransferProgress
    /// The smoothed rate.
    let bytesPerSecond: Double
    let secondsLeft: Double?

    private var isComplete: Bool { progress.durableByteCount >= progress.totalByteCount }

    private var share: Double {
        min(Double(progress.durableByteCount) / Double(max(progress.totalByteCount, 1)), 1)
    }

    private var percent: String { padded("\(Int(share * 100)) %", 5) }

    private var byteCounts: String {
        let total = Units.grouped(progress.totalByteCount)
        return "\(padded(Units.grouped(progress.durableByteCount), total.count)) of \(total) bytes"
    }

    /// The rate; `nil` before the first byte is stored, when it is unknown.
    private var rate: String? {
        bytesPerSecond > 0 ? padded(Units.rate(bytesPerSecond), 10) : nil
    }

    private var remainder: String? {
        guard let secondsLeft, !isComplete else { return nil }
        return "\(Units.wholeTime(secondsLeft)) left"
    }

    private var resent: String? {
        progress.dataFramesResent > 0 ? "\(Units.grouped(progress.dataFramesResent)) resent" : nil
    }

    /// All figures without the bar, for a terminal that can't move its cursor.
    var words: String {
        [percent, byteCounts, rate, remainder, resent].compactMap { $0 }.joined(separator: "  ")
    }

    /// - Parameter columnCountMax: the available width. If it is too small, figures are left out
    ///   in this order: resent frames, byte counts, rate, time; finally the bar.
    func text(columnCountMax: Int) -> String {
        let figures = [percent, byteCounts, rate, remainder, resent]
        for omitted in [[], [4], [1, 4], [1, 2, 4], [1, 2, 3, 4]] as [[Int]] {
            let shown = figures.indices.filter { !omitted.contains($0) }
                .compactMap { figures[$0] }.joined(separator: "  ")
            let room = columnCountMax - shown.count - 1
            guard room >= Self.barColumnCountMin else { continue }
            return bar(min(room, Self.barColumnCountMax)) + " " + shown
        }
        return percent
    }

    /// - Parameter columnCount: the width including both brackets.
    private func bar(_ columnCount: Int) -> String {
        let length = columnCount - 2
        let done = Int(share * Double(length))
        let head = done < length ? ">" : ""
        let rest = String(repeating: " ", count: length - done - head.count)
        return "[" + String(repeating: "=", count: done) + head + rest + "]"
    }

    /// Pads a figure that may grow, to keep the others in place.
    private func padded(_ text: String, _ columnCount: Int) -> String {
        String(repeating: " ", count: max(columnCount - text.count, 0)) + text
    }
}
