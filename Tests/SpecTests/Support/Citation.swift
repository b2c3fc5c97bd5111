import BLEOTATestSupport

/// A comment `//= TAG`, or `//= TAG: text of the requirement` continued on lines `//= …`.
struct Citation {
    let tag: RequirementTag
    /// What it says the requirement says, with single blanks; `nil` when it only names it.
    let text: String?
    /// Path and line, for messages.
    let place: String

    /// All citations in the Swift files below a folder, and the `//=` lines that are none.
    static func collect(below folder: String) throws -> (citations: [Citation], stray: [String]) {
        var citations: [Citation] = []
        var stray: [String] = []
        for path in Repository.files(below: folder, ending: ".swift") {
            let found = collect(in: try Repository.text(of: path), path: path)
            citations += found.citations
            stray += found.stray
        }
        return (citations, stray)
    }

    static func collect(
        in source: String,
        path: String
    ) -> (citations: [Citation], stray: [String]) {
        var citations: [Citation] = []
        var stray: [String] = []
        var isContinuing = false
        for (number, line) in source.split(separator: "\n", omittingEmptySubsequences: false)
            .enumerated()
        {
            let place = "\(path):\(number + 1)"
            // Nearly every line is none: the expression alone would take seconds for all of them.
            guard line.drop(while: \.isWhitespace).hasPrefix("//="),
                let match = line.wholeMatch(of: /\s*\/\/=\s*(.*)/)
            else {
                isContinuing = false
                continue
            }
            if let start = match.1.wholeMatch(of: /([A-Z]+-[0-9]+)(?::\s*(.*))?/),
                let tag = RequirementTag(start.1)
            {
                let text = start.2.map { $0.normalizingBlanks }
                citations.append(Citation(tag: tag, text: text, place: place))
                isContinuing = text != nil
            } else if isContinuing, let last = citations.popLast() {
                let text = ((last.text ?? "") + " " + match.1).normalizingBlanks
                citations.append(Citation(tag: last.tag, text: text, place: last.place))
            } else {
                stray.append("\(place): \(match.1)")
            }
        }
        return (citations, stray)
    }
}
