import BLEOTATestSupport
import Testing

/// A part of an example that is shown in README, a page or documentation comments.
///
/// It begins below a line `// README: NAME` and ends above `// end`.
struct ExampleRegion {
    let path: String
    let name: String
    /// Without the indentation that all lines have.
    let text: String

    static func all() throws -> [ExampleRegion] {
        try Repository.files(below: "Examples", ending: ".swift").flatMap { path in
            var regions: [ExampleRegion] = []
            var open: (name: String, lines: [String])?
            for line in try Repository.text(of: path).split(
                separator: "\n",
                omittingEmptySubsequences: false
            ) {
                let word = line.trimmingCharacters
                if word.hasPrefix("// README: ") {
                    try #require(open == nil, "\(path): a region in a region")
                    open = (String(word.dropFirst("// README: ".count)), [])
                } else if word == "// end", let (name, lines) = open {
                    let text = dedented(lines)
                    regions.append(ExampleRegion(path: path, name: name, text: text))
                    open = nil
                } else {
                    open?.lines.append(String(line))
                }
            }
            try #require(open == nil, "\(path): a region without an end")
            return regions
        }
    }

    private static func dedented(_ lines: [String]) -> String {
        let depth = lines.filter { !$0.isEmpty }.map { $0.prefix { $0 == " " }.count }.min() ?? 0
        return lines.map { String($0.dropFirst(depth)) }.joined(separator: "\n")
    }
}

/// The blocks of Swift in a text, each without its fences.
func swiftBlocks(in text: some StringProtocol) -> [String] {
    var blocks: [String] = []
    var open: [Substring]?
    for line in String(text).split(separator: "\n", omittingEmptySubsequences: false) {
        switch (line, open) {
        case ("```swift", nil): open = []
        case ("```", let lines?):
            blocks.append(lines.joined(separator: "\n"))
            open = nil
        default: open?.append(line)
        }
    }
    return blocks
}
