import BLEOTATestSupport

/// A line of a source or a document.
struct SourceLine: CustomStringConvertible {
    let place: String
    let text: Substring
    var description: String { "\(place): \(text)" }

    static func all(below folder: String) throws -> [SourceLine] {
        try Repository.files(below: folder, ending: ".swift").flatMap(all(of:))
    }

    static func all(of path: String) throws -> [SourceLine] {
        var lines = try Repository.text(of: path)
            .split(separator: "\n", omittingEmptySubsequences: false)
        if lines.last == "" { lines.removeLast() }
        return lines.enumerated().map {
            SourceLine(place: "\(path):\($0.offset + 1)", text: $0.element)
        }
    }

    struct Import: CustomStringConvertible {
        let place: String
        let module: String
        var description: String { "\(place): \(module)" }
    }

    /// Where a module's sources are. Those for protocols of other makers have a folder.
    static func folder(of module: String) -> String {
        let path = "Sources/Protocols/\(module)"
        return Repository.files(below: path, ending: ".swift").isEmpty ? "Sources/\(module)" : path
    }

    /// The modules with sources in Swift.
    static var modules: Set<String> {
        let paths = Repository.files(below: "Sources", ending: ".swift").map { path in
            path.split(separator: "/").map(String.init)
        }
        return Set(paths.map { $0[1] == "Protocols" ? $0[2] : $0[1] })
    }

    static func imports(of module: String) throws -> [Import] {
        let statement =
            #/
            \s* (?:@\w+(?:\(\w+\))?\s+)* (?:(?:public|package|internal|fileprivate|private)\s+)?
            import\s+ (?:(?:struct|enum|class|protocol|func|var|let|typealias)\s+)? (\w+) .*
            /#
        return try all(below: folder(of: module)).compactMap { line in
            guard line.text.contains("import") else { return nil }
            return line.text.wholeMatch(of: statement).map {
                Import(place: line.place, module: String($0.1))
            }
        }
    }
}
