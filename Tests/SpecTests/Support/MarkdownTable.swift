/// The first table below a heading of a Markdown document.
struct MarkdownTable {
    let header: [String]
    let rows: [[String]]

    /// Reads the table; `nil` when there is no such heading or no table before the next one.
    init?(below heading: String, in document: String) {
        let lines = document.split(separator: "\n", omittingEmptySubsequences: false)
        guard let start = lines.firstIndex(where: { $0.hasPrefix("#") && $0.hasSuffix(heading) })
        else { return nil }
        let section = lines[(start + 1)...].prefix { !$0.hasPrefix("#") }
        let table = section.drop { !$0.hasPrefix("|") }.prefix { $0.hasPrefix("|") }
        guard let first = table.first else { return nil }
        header = Self.cells(of: first)
        // The second line is the rule under the header.
        rows = table.dropFirst(2).map(Self.cells)
    }

    private static func cells(of line: Substring) -> [String] {
        line.split(separator: "|", omittingEmptySubsequences: false)
            .dropFirst().dropLast()
            .map { $0.trimmingCharacters }
    }
}

extension StringProtocol {
    /// Without blanks at both ends.
    var trimmingCharacters: String {
        let start = drop { $0.isWhitespace }
        guard let last = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(start[...last])
    }

    /// With every run of blanks and line ends as one blank, and none at the ends.
    var normalizingBlanks: String {
        split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
