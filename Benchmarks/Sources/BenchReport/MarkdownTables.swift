/// The tables and paragraphs of a Markdown text, as the results have them: headings, paragraphs and
/// tables with one line a row.
struct MarkdownTables {
    /// HTML.
    private(set) var paragraphs: [String] = []
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
                        rows: Array(rows[2...])
                    )
                )
            } else if first.hasPrefix("#") {
                let title = String(first.drop { $0 == "#" || $0 == " " })
                if first.hasPrefix("##") { heading = title }
            } else {
                paragraphs.append(Self.inline(lines.joined(separator: " ")))
            }
        }
    }

    private static func cells(_ line: String) -> [String] {
        line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
            .map { $0.trimmingPrefix { $0 == " " } }
            .map { cell in String(cell.reversed().drop { $0 == " " }.reversed()) }
    }

    /// Code and emphasis, in what is otherwise text.
    private static func inline(_ text: String) -> String {
        var html = ""
        for (number, part) in Markup.escaped(text)
            .split(separator: "`", omittingEmptySubsequences: false).enumerated()
        {
            guard number % 2 == 0 else {
                html += "<code>\(part)</code>"
                continue
            }
            html += part.replacing(#/\*\*?([^*]+)\*\*?/#) { "<em>\($0.1)</em>" }
        }
        return html
    }
}
