import BLEOTATestSupport

/// A tagged sentence of the specification, to the next tag or the end of its paragraph.
struct Requirement {
    let tag: RequirementTag
    /// The sentence without the tag, with single blanks.
    let text: String

    var isMandatory: Bool { text.contains(/\bMUST\b/) }
}

/// A tag such as `ACK-3`.
struct RequirementTag: Hashable, Comparable, CustomStringConvertible {
    let prefix: String
    let number: Int

    init?(_ text: some StringProtocol) {
        guard let match = String(text).wholeMatch(of: /([A-Z]+)-([0-9]+)/),
            let number = Int(match.2)
        else { return nil }
        prefix = String(match.1)
        self.number = number
    }

    var description: String { "\(prefix)-\(number)" }

    static func < (left: RequirementTag, right: RequirementTag) -> Bool {
        (left.prefix, left.number) < (right.prefix, right.number)
    }
}

/// The requirements of the specification.
struct Specification {
    /// Of the protocol and of the file in which an image comes.
    private static let documents = ["spec/bleota.md", "spec/bundle.md"]

    /// In the order of the documents.
    private(set) var requirements: [Requirement] = []
    /// Sentences with MUST that no tag covers.
    private(set) var untagged: [String] = []

    init() throws {
        self.init(documents: try Self.documents.map(Repository.text(of:)))
    }

    init(documents: [String]) {
        for document in documents {
            for paragraph in Specification.paragraphs(of: document) { add(paragraph) }
        }
    }

    func requirement(_ tag: RequirementTag) -> Requirement? {
        requirements.first { $0.tag == tag }
    }

    /// A tag stands at the beginning of a paragraph or after the end of a sentence; elsewhere it
    /// refers to another requirement.
    private mutating func add(_ paragraph: String) {
        let starts = paragraph.matches(of: /(?:^|[.:;] )(\[([A-Z]+-[0-9]+)\] )/)
        let ends = starts.dropFirst().map(\.1.startIndex) + [paragraph.endIndex]
        let before = paragraph[..<(starts.first?.1.startIndex ?? paragraph.endIndex)]
        if before.contains(/\bMUST\b/) { untagged.append(before.normalizingBlanks) }
        for (start, end) in zip(starts, ends) {
            guard let tag = RequirementTag(start.2) else { continue }
            let text = paragraph[start.1.endIndex..<end].normalizingBlanks
            requirements.append(Requirement(tag: tag, text: text))
        }
    }

    /// All paragraphs but those of section 1, which says what MUST and tags are, each in one line.
    private static func paragraphs(of document: String) -> [String] {
        var paragraphs: [String] = []
        var lines: [Substring] = []
        var isInTerms = false
        let ended = document + "\n\n"
        for line in ended.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("## ") { isInTerms = line.hasPrefix("## 1. ") }
            if line.allSatisfy(\.isWhitespace) || line.hasPrefix("#") {
                if !lines.isEmpty {
                    paragraphs.append(lines.joined(separator: " ").normalizingBlanks)
                }
                lines = []
            } else if !isInTerms {
                lines.append(line)
            }
        }
        return paragraphs
    }
}
