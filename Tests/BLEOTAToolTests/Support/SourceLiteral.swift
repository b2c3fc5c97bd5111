import BLEOTATestSupport

/// A string literal of a Swift source, or several that are joined with `+`.
struct SourceLiteral {
    /// Its text, with a placeholder for each interpolation: `{path}`, or `{…}` for an expression.
    let text: String
    /// The source in front of the literal, up to a few hundred characters.
    let context: Substring

    /// The literals of a file, in order.
    static func all(of path: String) throws -> [SourceLiteral] {
        var scanner = SourceScanner(try Repository.text(of: path))
        return scanner.literals()
    }
}

/// Finds the literals of a source.
private struct SourceScanner {
    private static let contextCharacterCount = 300

    private let source: [Character]
    private var place = 0

    init(_ source: String) { self.source = Array(source) }

    mutating func literals() -> [SourceLiteral] {
        var found: [(start: Int, end: Int, text: String)] = []
        while place < source.count {
            if starts(with: "//") {
                skip(until: "\n")
            } else if let quote = quote() {
                let start = place
                let text = literal(quote)
                if let last = found.last, isJoin(from: last.end, to: start) {
                    found[found.count - 1] = (last.start, place, last.text + text)
                } else {
                    found.append((start, place, text))
                }
            } else {
                place += 1
            }
        }
        return found.map { start, _, text in
            let context = String(source[max(0, start - Self.contextCharacterCount)..<start])
            return SourceLiteral(text: text, context: context[...])
        }
    }

    /// The quotation marks with which a literal begins here, with the number signs before them.
    private func quote() -> (hashes: String, marks: String)? {
        let hashes = String(source[place...].prefix { $0 == "#" })
        for marks in ["\"\"\"", "\""] where starts(with: hashes + marks) { return (hashes, marks) }
        return nil
    }

    private func isJoin(from end: Int, to start: Int) -> Bool {
        source[end..<start].filter { !$0.isWhitespace } == ["+"]
    }

    /// Reads a literal.
    private mutating func literal(_ quote: (hashes: String, marks: String)) -> String {
        place += quote.hashes.count + quote.marks.count
        let escape = "\\" + quote.hashes
        var text = ""
        while place < source.count, !starts(with: quote.marks + quote.hashes) {
            if starts(with: escape + "(") {
                place += escape.count + 1
                text += placeholder()
            } else if starts(with: escape + "\n") {
                place += escape.count + 1
                while place < source.count, source[place] == " " { place += 1 }
            } else if starts(with: escape) {
                place += escape.count
                text += source[place] == "n" ? "\n" : String(source[place])
                place += 1
            } else {
                text.append(source[place])
                place += 1
            }
        }
        place += quote.marks.count + quote.hashes.count
        return text
    }

    /// Reads an interpolation up to its closing parenthesis.
    private mutating func placeholder() -> String {
        var expression = ""
        var depth = 1
        while place < source.count {
            if let quote = quote() {
                _ = literal(quote)
                expression += "\""
                continue
            }
            if source[place] == "(" { depth += 1 }
            if source[place] == ")" { depth -= 1 }
            if depth == 0 { break }
            expression.append(source[place])
            place += 1
        }
        place += 1
        let isName = expression.allSatisfy { $0.isLetter || $0.isNumber || $0 == "." || $0 == "_" }
        let name = expression.split(separator: ".").last
        return isName ? "{\(name ?? "…")}" : "{…}"
    }

    private func starts(with text: String) -> Bool {
        guard place + text.count <= source.count else { return false }
        return zip(text, source[place...]).allSatisfy { $0 == $1 }
    }

    private mutating func skip(until end: Character) {
        while place < source.count, source[place] != end { place += 1 }
    }
}
