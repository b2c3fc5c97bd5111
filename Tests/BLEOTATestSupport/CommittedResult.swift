import Foundation

/// Results that are committed: made anew and compared. `BLEOTA_UPDATE=1` writes them.
package enum CommittedResult {
    /// The lines in which a file differs from what was made.
    package struct Difference: Error, CustomStringConvertible {
        package let description: String

        init(_ lines: [String]) { description = lines.joined(separator: "\n") }
    }

    private static let folder = "Benchmarks/Results"

    /// Compares a text with a file, line by line.
    package static func compare(_ text: String, with name: String) throws {
        let path = "\(folder)/\(name)"
        if ProcessInfo.processInfo.environment["BLEOTA_UPDATE"] != nil {
            let file = URL(fileURLWithPath: Repository.path(of: path))
            try text.write(to: file, atomically: true, encoding: .utf8)
        }
        let committed = try Repository.text(of: path)
        let pairs = zip(text.split(separator: "\n"), committed.split(separator: "\n"))
        let lines = pairs.filter { $0 != $1 }.map { "\(path) says\n\($1)\nand it is\n\($0)" }
        guard lines.isEmpty else { throw Difference(lines) }
        guard text.count == committed.count else {
            throw Difference(["\(path) has \(committed.count) letters, and it is \(text.count)"])
        }
    }

    /// Compares some rows of a table with a file, which has to have each of them: for a scope in
    /// which not all rows are made.
    package static func compareRows(_ rows: [String], with name: String) throws {
        let path = "\(folder)/\(name)"
        let committed = Set(try Repository.text(of: path).split(separator: "\n"))
        guard !rows.isEmpty else { throw Difference(["\(path): there are no rows to compare"]) }
        let lines = rows.filter { !committed.contains($0[...]) }.map { "\(path) has no row\n\($0)" }
        guard lines.isEmpty else { throw Difference(lines) }
    }
}
