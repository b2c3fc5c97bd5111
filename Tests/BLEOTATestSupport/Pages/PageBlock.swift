/// A fenced block of a page of the documentation.
///
/// The words after the fence say what it holds. `console` is a block of commands; a second word
/// says where they run, if not in a scratch directory of any machine:
///
///     ```console
///     $ bleota show firmware.bin
///     format        raw
///     …
///     ```
package struct PageBlock: CustomStringConvertible {
    package let page: String
    /// The first word after the fence; empty if there is none.
    package let language: String
    /// The second word; empty if there is none.
    package let place: String
    package let lines: [String]
    /// The index of the first of the lines in the page.
    package let start: Int

    package var description: String { "\(page):\(start + 1)" }

    /// README.md, SECURITY.md and the pages in docs.
    package static var pages: [String] {
        ["README.md", "SECURITY.md"] + Repository.files(below: "docs", ending: ".md")
    }

    package static func all(of page: String) throws -> [PageBlock] {
        var blocks: [PageBlock] = []
        var open: (words: [Substring], start: Int, lines: [String])?
        let lines = try Repository.text(of: page)
            .split(separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            guard line.hasPrefix("```") else {
                open?.lines.append(String(line))
                continue
            }
            guard let (words, start, lines) = open else {
                open = (line.dropFirst(3).split(separator: " "), index + 1, [])
                continue
            }
            blocks.append(
                PageBlock(
                    page: page,
                    language: words.first.map(String.init) ?? "",
                    place: words.dropFirst().joined(separator: " "),
                    lines: lines,
                    start: start
                )
            )
            open = nil
        }
        return blocks
    }
}
