import Foundation
import Testing

/// Results that are committed: made anew and compared. `BLEOTA_UPDATE=1` writes them.
enum CommittedResult {
    private static let folder = "Benchmarks/Results"

    /// Compares a text with a file, line by line.
    static func compare(
        _ text: String,
        with name: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let file = file(name)
        if ProcessInfo.processInfo.environment["BLEOTA_UPDATE"] != nil {
            try text.write(to: file, atomically: true, encoding: .utf8)
        }
        let committed = try String(contentsOf: file, encoding: .utf8)
        for (line, old) in zip(
            text.split(separator: "\n"),
            committed.split(separator: "\n")
        ) where line != old {
            Issue.record(
                "\(folder)/\(name) says\n\(old)\nand it is\n\(line)",
                sourceLocation: sourceLocation
            )
        }
        #expect(text.count == committed.count, sourceLocation: sourceLocation)
    }

    /// Compares some rows of a table with a file, which has to have each of them: for a scope in
    /// which not all rows are made.
    static func compareRows(
        _ rows: [String],
        with name: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let committed = Set(
            try String(contentsOf: file(name), encoding: .utf8).split(separator: "\n")
        )
        #expect(!rows.isEmpty, sourceLocation: sourceLocation)
        for row in rows where !committed.contains(row[...]) {
            Issue.record("\(folder)/\(name) has no row\n\(row)", sourceLocation: sourceLocation)
        }
    }

    private static func file(_ name: String) -> URL {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../\(folder)/\(name)").standardized
    }
}
