import Foundation

/// Results that lie in a folder, made by other programs: `NAME.json`, of any shape, and `NAME.md`.
struct OtherResults {
    let name: String
    let title: String
    let origin: Origin

    /// Those that the report shows where they are there.
    static let known = [
        OtherResults(name: "baselines", title: "Other protocols' algorithms", origin: .simulated),
        OtherResults(name: "guest", title: "A real stack", origin: .measured),
    ]

    /// What every measurement has to say about where it was made: the name in the report, and how
    /// keys that tell it begin.
    private static let measurementFacts = [
        ("adapter", "adapter"), ("kernel", "kernel"), ("BlueZ version", "bluez"), ("date", "date"),
    ]

    /// `nil` where there is neither file.
    func section(in folder: URL) throws -> PageSection? {
        let text = try? String(contentsOf: file("json", in: folder), encoding: .utf8)
        let json = try text.map { try JSONTables($0) }
        let markdown = try? String(contentsOf: file("md", in: folder), encoding: .utf8)
        guard json != nil || markdown != nil else { return nil }
        var section = PageSection(title: "\(title), \(origin.rawValue)")
        section.facts = facts(json?.facts ?? [])
        if let markdown {
            let document = MarkdownTables(markdown, named: title, origin)
            section.notes = document.notes
            section.tables = document.tables
        }
        if section.tables.isEmpty, let json {
            section.tables = json.tables.map {
                ReportTable(
                    title: $0.name.isEmpty ? title : "\(title): \($0.name)",
                    origin: origin,
                    columns: $0.columns,
                    rows: $0.rows
                )
            }
        }
        return section
    }

    func file(_ ending: String, in folder: URL) -> URL {
        folder.appendingPathComponent("\(name).\(ending)")
    }

    private func facts(_ given: [(name: String, value: String)]) -> [(name: String, value: String)]
    {
        guard origin == .measured else { return given }
        let missing = Self.measurementFacts.filter { _, prefix in
            !given.contains { $0.name.lowercased().contains(prefix) }
        }
        return given + missing.map { (name: $0.0, value: "the results do not say") }
    }
}
