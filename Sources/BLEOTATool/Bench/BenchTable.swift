/// A table whose first column is left-aligned and whose other columns are right-aligned.
struct BenchTable {
    private var rows: [[String]]

    init(_ heading: [String]) { rows = [heading] }

    mutating func add(_ row: [String]) { rows.append(row) }

    var lines: [String] {
        let columnCount = rows.map(\.count).max() ?? 0
        let widths = (0..<columnCount).map { column in
            rows.map { $0.indices.contains(column) ? $0[column].count : 0 }.max() ?? 0
        }
        return rows.map { row in
            var line = ""
            for (column, text) in row.enumerated() {
                let padding = String(repeating: " ", count: widths[column] - text.count)
                line += column == 0 ? text + padding : "   " + padding + text
            }
            return line
        }
    }
}
