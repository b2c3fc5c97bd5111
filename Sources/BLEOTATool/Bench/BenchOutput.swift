import BLEOTA

/// Reports the results of a benchmark on standard output, as text or as events, and its progress
/// on a terminal.
struct BenchOutput {
    /// The width of the first column.
    private static let nameWidth = 12
    /// The limit that keeps a line with its name within 100 columns.
    private static let lineLengthMax = 88

    private let isText: Bool
    let reporter: Reporter
    private let print: @Sendable (String) -> Void

    init(
        _ options: OutputOptions,
        _ reporter: Reporter,
        print: @escaping @Sendable (String) -> Void = Terminal.printLine
    ) {
        isText = !options.json && !options.quiet
        self.reporter = reporter
        self.print = print
    }

    func say(_ name: String, _ value: String) {
        guard isText else { return }
        reporter.removeLine()
        let padding = String(repeating: " ", count: max(2, Self.nameWidth - name.count))
        print(name + padding + value)
    }

    func show(_ table: BenchTable) {
        guard isText else { return }
        reporter.removeLine()
        for line in [""] + table.lines + [""] { print(line) }
    }

    /// Reports what is possible on the link, what was reached, and what to change.
    func conclude(could: [String], does: [String], change: [String]) {
        for (name, sentences) in [("possible", could), ("reached", does), ("to change", change)] {
            for (index, line) in sentences.flatMap(Self.wrapped).enumerated() {
                say(index == 0 ? name : "", line)
            }
        }
        reporter.event(
            JSONLine(event: "result").adding("could", could).adding("does", does)
                .adding("change", change)
        )
    }

    /// The lines of a sentence, all but the first slightly indented.
    private static func wrapped(_ sentence: String) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in sentence.split(separator: " ") {
            if line.count + 1 + word.count > lineLengthMax {
                lines.append(line)
                line = " "
            }
            line += line.isEmpty ? "\(word)" : " \(word)"
        }
        return lines + [line]
    }

    /// A percentage, such as `97.3 %`.
    static func percent(_ part: Double, of whole: Double) -> String {
        whole > 0 ? "\(tenths(part / whole * 100)) %" : ""
    }

    /// A ratio, such as `5.8`.
    static func times(_ part: Double, _ whole: Double) -> String {
        whole > 0 ? tenths(part / whole) : ""
    }

    static func tenths(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}
