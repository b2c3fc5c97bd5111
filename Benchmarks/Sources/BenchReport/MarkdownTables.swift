/// The tables and paragraphs of a Markdown text, as the results have them: headings, paragraphs,
/// lists, and tables with one line a row.
struct MarkdownTables {
    /// Longer tables are folded.
    private static let rowCountShown = 40

    /// HTML, after the last table.
    private(set) var notes: [String] = []
    private(set) var tables: [ReportTable] = []

    /// - Parameter name: what a table is called that has no heading below the first.
    init(_ text: String, named name: String, _ origin: Origin) {
        var heading = name
        for block in text.split(separator: "\n\n") {
            let lines = block.split(separator: "\n").map { String($0) }
            guard let first = lines.first else { continue }
            if first.hasPrefix("|"), lines.count > 2 {
                let rows = lines.map(Self.cells)
                tables.append(
                    ReportTable(
                        title: heading,
                        origin: origin,
                        columns: rows[0],
                        rows: Array(rows[2...]),
                        before: notes,
                        isFolded: rows.count > Self.rowCountShown
                    )
                )
                notes = []
            } else if first.hasPrefix("#") {
                let title = String(first.drop { $0 == "#" || $0 == " " })
                guard first.hasPrefix("##") else { continue }
                heading = title
                notes.append("<h3>\(Markup.escaped(title))</h3>")
            } else {
                notes += Self.items(lines).map { "<p>\(Markup.inline($0))</p>" }
            }
        }
    }

    /// A list's items, each in one line that begins with a bullet; a paragraph in one line.
    private static func items(_ lines: [String]) -> [String] {
        var items: [String] = []
        for line in lines {
            if line.hasPrefix("- ") {
                items.append("• \(line.dropFirst(2))")
            } else if let last = items.popLast() {
                items.append("\(last) \(line.drop { $0 == " " })")
            } else {
                items.append(line)
            }
        }
        return items
    }

    private static func cells(_ line: String) -> [String] {
        line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
            .map { $0.trimmingPrefix { $0 == " " } }
            .map { cell in String(cell.reversed().drop { $0 == " " }.reversed()) }
    }
}
