/// A part of the page.
struct PageSection {
    let title: String
    /// HTML.
    var paragraphs: [String] = []
    var figures: [Figure] = []
    var tables: [ReportTable] = []
    /// HTML to read after the tables.
    var notes: [String] = []
    /// What a file says, each with its name and its text.
    var facts: [(name: String, value: String)] = []

    /// What a link to it leads to.
    var anchor: String {
        String(title.lowercased().map { $0.isLetter || $0.isNumber ? $0 : "-" })
    }
}
