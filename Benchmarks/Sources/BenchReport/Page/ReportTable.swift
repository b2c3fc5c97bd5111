/// A table, for HTML and Markdown.
struct ReportTable {
    let title: String
    let origin: Origin
    let columns: [String]
    let rows: [[String]]
    /// HTML to read before it.
    var before: [String] = []
    /// Whether the page shows the title alone until it is asked for the rest.
    var isFolded = false

    var html: String {
        let headings = columns.map { "<th scope=\"col\">\(Markup.escaped($0))</th>" }.joined()
        let body = rows.map { row in
            "<tr>\(row.map { "<td>\(Markup.inline($0))</td>" }.joined())</tr>"
        }
        let table = """
            <div class="scroll" tabindex="0" role="region" aria-label="\(Markup.escaped(title))">
            <table><thead><tr>\(headings)</tr></thead><tbody>
            \(body.joined(separator: "\n"))
            </tbody></table></div>
            """
        let caption = "\(origin.badge) \(Markup.escaped(title))"
        let head = before.isEmpty ? "" : before.joined(separator: "\n") + "\n"
        return isFolded
            ? head + "<details><summary>\(caption)</summary>\n\(table)\n</details>"
            : head + "<p class=\"caption\">\(caption)</p>\n\(table)"
    }

    var markdown: String {
        let lines = [columns, columns.map { _ in "---" }] + rows
        return "**\(title)** (\(origin.rawValue))\n\n"
            + lines.map { "| \($0.joined(separator: " | ")) |" }.joined(separator: "\n") + "\n"
    }
}
